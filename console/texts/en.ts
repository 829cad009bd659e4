/** English. Each feature has a file. */
import { audit } from './en/audit.ts'
import { directory } from './en/directory.ts'
import { general } from './en/general.ts'
import { mail } from './en/mail.ts'
import { organizations } from './en/organizations.ts'
import { providers } from './en/providers.ts'
import { signIn } from './en/sign-in.ts'
import { tenants } from './en/tenants.ts'
import { users } from './en/users.ts'

export const en = { general, signIn, users, organizations, tenants, directory, providers, audit, mail } as const
