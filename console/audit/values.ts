/** Values of fields in words: "90 days", "on", "none". */
import i18next from 'i18next'
import '../texts/audit.ts'

/** @param field its name in the API */
export function inWords(field: string, value: unknown): string {
  if (isNone(value)) return i18next.t('audit.values.none')
  if (typeof value === 'boolean') return i18next.t(value ? 'audit.values.yes' : 'audit.values.no')
  if (typeof value === 'string' && isOurPicture(field, value)) return i18next.t('audit.values.picture')
  if (typeof value === 'number' && field.endsWith('Seconds')) return duration(value)
  if (typeof value === 'string' && ['role', 'signUp', 'secondFactor'].includes(field)) {
    const key = `audit.values.${value}`
    return i18next.exists(key) ? i18next.t(key as 'audit.values.none') : value // it exists
  }
  if (Array.isArray(value)) return value.map((each) => inWords('', each)).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Whether it is the address of a picture that was uploaded here, which says nothing to people. */
function isOurPicture(field: string, value: string): boolean {
  return (field === 'avatarUrl' || field === 'logoUrl') && /\/pictures\/ten_[^/]+$/.test(value)
}

export function isNone(value: unknown): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
}

function duration(seconds: number): string {
  if (seconds % 86_400 === 0) return i18next.t('audit.values.days', { count: seconds / 86_400 })
  if (seconds % 3_600 === 0) return i18next.t('audit.values.hours', { count: seconds / 3_600 })
  return i18next.t('audit.values.minutes', { count: Math.round(seconds / 60) })
}
