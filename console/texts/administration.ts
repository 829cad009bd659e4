/** Adds the texts of tenant admins' pages. */
import { applications } from './en/applications.ts'
import { directory } from './en/directory.ts'
import { providers } from './en/providers.ts'
import { tenants } from './en/tenants.ts'
import { addTexts } from './texts.ts'

addTexts({ applications, directory, providers, tenants })
