/** Adds the texts of tenant admins' pages. */
import { directory } from './en/directory.ts'
import { providers } from './en/providers.ts'
import { tenants } from './en/tenants.ts'
import { addTexts } from './texts.ts'

addTexts({ directory, providers, tenants })
