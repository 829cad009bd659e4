/** The kinds of messages, by color and icon. A message that names no kind says what was done (theme.ts). */
import { IconAlertTriangle, IconCheck, IconInfoCircle } from '@tabler/icons-react'

export const asDone = { color: 'green', icon: <IconCheck size={16} aria-hidden /> } as const
export const asRefused = { color: 'red', icon: <IconAlertTriangle size={16} aria-hidden /> } as const
/** What others did, or what happened by itself. */
export const asNews = { color: 'gray', icon: <IconInfoCircle size={16} aria-hidden /> } as const
