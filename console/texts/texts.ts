/**
 * The texts of the console, in one catalogue. Another language is another folder beside `en`.
 *
 * Texts that the first page does not need are loaded with the pages that show them: a page with a session imports `inside.ts`, one of tenant
 * admins `administration.ts` too, and what shows entries of the audit log imports `audit.ts`.
 */
import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { access } from './en/access.ts'
import type { applications } from './en/applications.ts'
import type { audit } from './en/audit.ts'
import type { authorization } from './en/authorization.ts'
import type { directory } from './en/directory.ts'
import { general } from './en/general.ts'
import type { keys } from './en/keys.ts'
import type { mail } from './en/mail.ts'
import type { organizations } from './en/organizations.ts'
import type { providers } from './en/providers.ts'
import { signIn } from './en/sign-in.ts'
import type { tenants } from './en/tenants.ts'
import type { users } from './en/users.ts'
import type { webhooks } from './en/webhooks.ts'

/** What is there at once. Later texts are added. */
const texts = { general, signIn }

interface Later {
  readonly access: typeof access
  readonly applications: typeof applications
  readonly audit: typeof audit
  readonly authorization: typeof authorization
  readonly directory: typeof directory
  readonly keys: typeof keys
  readonly mail: typeof mail
  readonly organizations: typeof organizations
  readonly providers: typeof providers
  readonly tenants: typeof tenants
  readonly users: typeof users
  readonly webhooks: typeof webhooks
}

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof texts & Later }
  }
}

export async function startTexts(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: 'en',
    resources: { en: { translation: texts } },
    interpolation: { escapeValue: false }, // React escapes
    // A page that has not loaded its texts fails its tests.
    parseMissingKeyHandler(key) {
      console.error(`There is no text “${key}”.`)
      return key
    },
  })
}

/** Adds texts that a page needs, before it is shown. */
export function addTexts(more: Partial<Later>): void {
  if (i18next.isInitialized) i18next.addResourceBundle('en', 'translation', more, true)
  else Object.assign(texts, more)
}
