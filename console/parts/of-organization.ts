/** The name of the organization that the surrounding pages are of, for their titles; undefined for other pages. */
import { createContext } from 'react'

export const OfOrganization = createContext<string | undefined>(undefined)
