/** Adds the texts of webhooks and events. */
import { webhooks } from './en/webhooks.ts'
import { addTexts } from './texts.ts'

addTexts({ webhooks })
