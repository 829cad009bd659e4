/** Adds the texts of the mailbox. */
import { mail } from './en/mail.ts'
import { addTexts } from './texts.ts'

addTexts({ mail })
