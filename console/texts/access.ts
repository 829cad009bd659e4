/** Adds the texts of the page of permissions and roles. */
import { access } from './en/access.ts'
import { addTexts } from './texts.ts'

addTexts({ access })
