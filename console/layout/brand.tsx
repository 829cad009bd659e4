/** The brand: the tenant's name, and its logo or ours. */
import { Group, Text } from '@mantine/core'
import { useState } from 'react'
import { pictureShown } from '../parts/picture-url.ts'
import { useTenant } from '../tenants/tenant.ts'
import classes from './brand.module.css'

export function Brand() {
  const { name, brand, remotePictures } = useTenant()
  const logo = pictureShown(brand.logoUrl, remotePictures)
  return (
    <Group gap="xs" className={classes.brand}>
      {logo === null ? <Mark /> : <Logo key={logo} url={logo} />}
      <Text fw={600} truncate dir="auto" className={classes.name}>
        {name}
      </Text>
    </Group>
  )
}

/** Our mark replaces a logo that cannot be loaded or that the Content-Security-Policy refuses. */
function Logo({ url }: { readonly url: string }) {
  const [isMissing, setMissing] = useState(false)
  return isMissing ? <Mark /> : <img className={classes.logo} src={url} alt="" onError={() => setMissing(true)} />
}

/** For pages without a tenant. */
export function OurBrand() {
  return (
    <Group gap="xs" className={classes.brand}>
      <Mark />
      <Text fw={600} className={classes.name}>
        Guildhall
      </Text>
    </Group>
  )
}

/** The mark of Guildhall, a gabled hall, in the accent color. */
function Mark() {
  return (
    <svg className={classes.mark} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <path fill="var(--on-accent)" d="M16 6 27 13H5ZM8 15h3v8H8ZM14.5 15h3v8h-3ZM21 15h3v8h-3ZM6 24.5h20V27H6Z" />
    </svg>
  )
}
