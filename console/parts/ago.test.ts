import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ago } from './ago.ts'

/** How a time reads for somebody in a zone. */
const seen = (at: string, time: string, timeZone = 'UTC') => ago(new Date(time), 'en', timeZone, Date.parse(at))

test('at least 24 hours away, a time is told in days of the calendar', () => {
  const now = '2026-03-18T10:00:00Z'
  assert.deepEqual(
    ['03-16T12:00', '03-17T09:00', '03-19T10:00', '03-19T22:00', '03-20T01:00', '03-21T23:00', '03-25T10:00'].map(
      (time) => seen(now, `2026-${time}:00Z`),
    ),
    ['2 days ago', 'yesterday', 'tomorrow', 'tomorrow', 'in 2 days', 'in 3 days', 'in 7 days'],
  )
})

test('the calendar is that of the reader’s time zone', () => {
  const [now, time] = ['2026-03-18T12:00:00Z', '2026-03-16T23:30:00Z']
  assert.deepEqual(
    ['UTC', 'Asia/Tokyo'].map((zone) => seen(now, time, zone)),
    ['2 days ago', 'yesterday'],
  )
})

test('a time is told in hours or minutes less than 24 hours away, and as a date more than a week away', () => {
  const now = '2026-03-18T10:00:00Z'
  assert.deepEqual(
    ['17T11:00:00', '17T23:00:00', '18T09:58:30', '18T10:00:30', '18T10:05:40', '19T09:50:00', '25T10:00:01'].map(
      (time) => seen(now, `2026-03-${time}Z`),
    ),
    ['23 hours ago', '11 hours ago', '1 minute ago', 'now', 'in 6 minutes', 'in 24 hours', 'Mar 25, 2026'],
  )
  assert.equal(seen(now, '2026-03-18T09:59:30Z'), undefined)
})

test('a day of 25 hours is not “today” at its end', () => {
  assert.equal(seen('2026-10-24T22:00:00Z', '2026-10-25T22:30:00Z', 'Europe/Berlin'), 'in 25 hours')
})
