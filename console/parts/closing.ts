/** How the dialog closes that something stands in; undefined outside of one. */
import { createContext } from 'react'

export const Closing = createContext<(() => void) | undefined>(undefined)
