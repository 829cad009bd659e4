/** Adds the texts of people and organizations, which all pages with a session have, and some others. */
import { organizations } from './en/organizations.ts'
import { users } from './en/users.ts'
import { addTexts } from './texts.ts'

addTexts({ organizations, users })
