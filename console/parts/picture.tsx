/** The picture of a person or an organization, if the tenant allows remote pictures, or their initials. */
import { Avatar } from '@mantine/core'
import { useTenant } from '../tenants/tenant.ts'

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

function initials(name: string): string {
  const words = name
    .replace(/@.*/, '')
    .split(/[\s._-]+/)
    .filter((word) => word !== '')
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  return chosen.map((word) => [...(word ?? '')][0]?.toUpperCase() ?? '').join('')
}
