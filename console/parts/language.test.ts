import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localeOf } from './language.ts'

test('dates are in the calendar of date fields in every language, and keep their digits', () => {
  const optionsOf = (locale: string | undefined) => new Intl.DateTimeFormat(locale).resolvedOptions()
  for (const locale of ['en', 'th', 'fa-IR', 'ar-SA', 'fa-u-nu-latn', 'ja-JP-u-ca-japanese', undefined]) {
    const { calendar, numberingSystem } = optionsOf(localeOf(locale))
    assert.deepEqual([calendar, numberingSystem], ['gregory', optionsOf(locale).numberingSystem], locale)
  }
})
