/** Adds the texts of keys. */
import { keys } from './en/keys.ts'
import { addTexts } from './texts.ts'

addTexts({ keys })
