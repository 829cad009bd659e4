/** Adds the texts of signing in to an application, and of signing out of it. */
import { authorization } from './en/authorization.ts'
import { addTexts } from './texts.ts'

addTexts({ authorization })
