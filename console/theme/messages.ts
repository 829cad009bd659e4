/** The kinds of messages, by color and icon. A message that names no kind says what was done (theme.ts). */
import { IconAlertTriangle, IconCheck, IconInfoCircle, type TablerIcon } from '@tabler/icons-react'
import { createElement } from 'react'

const shown = (icon: TablerIcon) => createElement(icon, { size: 16, 'aria-hidden': true })

export const asDone = { color: 'green', icon: shown(IconCheck) } as const
export const asRefused = { color: 'red', icon: shown(IconAlertTriangle) } as const
/** What others did, or what happened by itself. */
export const asNews = { color: 'gray', icon: shown(IconInfoCircle) } as const
