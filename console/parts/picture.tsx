/** The picture of a person or an organization, or their initials on a tint of their own. */
import { Avatar } from '@mantine/core'
import { useTenant } from '../tenants/tenant.ts'
import { initials } from './initials.ts'
import classes from './picture.module.css'
import { pictureShown } from './picture-url.ts'
import { tintOf } from './tint.ts'

interface PictureProps {
  readonly url: string | null
  /** A name, or an email address. */
  readonly name: string
  /** Of whom or what it is: the tint follows from it, and stays with another name. Without it there is none. */
  readonly id?: string | undefined
  readonly size?: number
  /** `round` for people, `square` for organizations: their logos are shown whole. */
  readonly shape?: 'round' | 'square'
}

/** Hidden from screen readers, because the name is beside it. */
export function Picture({ url, name, id, size = 32, shape = 'round' }: PictureProps) {
  const { remotePictures } = useTenant()
  return (
    <Avatar
      src={pictureShown(url, remotePictures)}
      alt=""
      aria-hidden
      size={size}
      radius={shape === 'round' ? '50%' : 'sm'}
      classNames={{
        ...(id !== undefined && { placeholder: classes.initials }),
        ...(shape === 'square' && { image: classes.logo }),
      }}
      {...(id !== undefined && { style: { '--tint': tintOf(id) } })}
    >
      {initials(name)}
    </Avatar>
  )
}
