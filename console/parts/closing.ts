/** Closes the surrounding dialog; undefined outside of a dialog. */
import { createContext } from 'react'

export const Closing = createContext<(() => void) | undefined>(undefined)
