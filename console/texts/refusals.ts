/** Refusals in words for users. A code without words here is shown with the API's texts. */
import i18next from 'i18next'
import { isRefusal } from '../api/refusal.ts'
import { general } from './en/general.ts'

interface Words {
  readonly title: string
  readonly detail: string | undefined
}

/** @param error a Refusal or any other error */
export function wordsOf(error: unknown): Words {
  if (!isRefusal(error)) return { title: error instanceof Error ? error.message : String(error), detail: undefined }
  const { code, title, detail, requestId = '', errors, status = '', by, methods = [], missing = [] } = error.problem
  if (!hasWords(code)) return { title: title ?? code, detail }
  if (code === 'invalid_request' && errors)
    return { title: i18next.t(`general.refusals.${code}.title`), detail: errors.map((fault) => fault.detail).join(' ') }
  const when = inWords(error.retryAfter)
  return {
    title: i18next.t(`general.refusals.${code}.title`, { status }),
    detail: i18next.t(`general.refusals.${code}.detail`, {
      when,
      requestId,
      ...(error.isRead && { context: 'read' }),
      ...(by !== undefined && methods.length === 0 && { context: by }),
      ...(missing.length > 0 && { context: 'missing', missing: new Intl.ListFormat(i18next.language).format(missing) }),
    }),
  }
}

type Worded = Exclude<keyof typeof general.refusals, 'inAMoment'>

function hasWords(code: string): code is Worded {
  return code !== 'inAMoment' && code in general.refusals
}

/** "in 30 seconds", "in 5 minutes": rounded up, so that nobody tries too early. */
function inWords(seconds: number | undefined): string {
  if (seconds === undefined) return i18next.t('general.refusals.inAMoment')
  const relative = new Intl.RelativeTimeFormat(i18next.language)
  if (seconds < 120) return relative.format(Math.max(seconds, 1), 'second')
  if (seconds < 2 * 3600) return relative.format(Math.ceil(seconds / 60), 'minute')
  return relative.format(Math.ceil(seconds / 3600), 'hour')
}
