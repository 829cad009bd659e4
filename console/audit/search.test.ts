import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDays, dayAt, startOfDay } from './days.ts'
import { readActivitySearch, toQuery } from './search.ts'

const organization = `org_${'0'.repeat(26)}`

test('an invalid filter in an address is ignored', () => {
  assert.deepEqual(readActivitySearch({ organization }), { organization })
  assert.deepEqual(readActivitySearch({ organization: 'org_1' }), {})
  assert.deepEqual(readActivitySearch({ organization: 'user_1' }), {})
  assert.deepEqual(readActivitySearch({ kinds: 'members,nonsense,members', last: 7, from: '2026-01-01' }), {
    kinds: 'members',
    last: 7,
  })
  assert.deepEqual(readActivitySearch({ kinds: 7, last: 8, from: 'soon', to: '2026-02-31x' }), {})
  assert.deepEqual(readActivitySearch({ from: '2026-01-01', to: '2026-01-31' }), {
    from: '2026-01-01',
    to: '2026-01-31',
  })
})

test('kinds and days become parameters of the API, in the time zone of the reader', () => {
  assert.deepEqual(toQuery({ kinds: 'credentials', from: '2026-03-29', to: '2026-03-29' }, 'Europe/Berlin'), {
    action: ['email.*', 'password.*', 'factor.*', 'factors.*', 'recovery_codes.*', 'recovery_code.*', 'identity.*'],
    from: '2026-03-28T23:00:00.000Z',
    to: '2026-03-29T22:00:00.000Z', // the clocks went forward: a day of 23 hours
  })
  const today = dayAt(new Date(), 'Asia/Tokyo')
  assert.deepEqual(toQuery({ last: 7 }, 'Asia/Tokyo'), {
    from: startOfDay(addDays(today, -6), 'Asia/Tokyo').toISOString(),
  })
  assert.deepEqual(toQuery({ organization }, undefined), { organizationId: organization })
  assert.deepEqual(toQuery({}, undefined), {})
})

test('a day begins and ends in the time zone of the reader', () => {
  const time = new Date('2026-01-31T23:30:00Z')
  assert.deepEqual([dayAt(time, 'Europe/Berlin'), dayAt(time, 'America/New_York')], ['2026-02-01', '2026-01-31'])
  assert.equal(addDays('2026-02-28', 1), '2026-03-01')
})
