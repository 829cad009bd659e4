/** The picture of a person or an organization, if the tenant allows remote pictures, or their initials. */
import { Avatar } from '@mantine/core'
import { useTenant } from '../tenants/tenant.ts'
import { initials } from './initials.ts'

interface PictureProps {
  readonly url: string | null
  /** A name, or an email address. */
  readonly name: string
  readonly size?: number
  /** `round` for people, `square` for organizations. */
  readonly shape?: 'round' | 'square'
}

/** Hidden from screen readers, because the name is beside it. */
export function Picture({ url, name, size = 32, shape = 'round' }: PictureProps) {
  const { remotePictures } = useTenant()
  return (
    <Avatar src={remotePictures ? url : null} alt="" aria-hidden size={size} radius={shape === 'round' ? 'xl' : 'sm'}>
      {initials(name)}
    </Avatar>
  )
}
