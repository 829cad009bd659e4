/** Days in time zones, above all those whose clocks skip or repeat midnight. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDays, dayAt, startOfDay, timesOf } from './days.ts'

const dayLength = 24 * 3600 * 1000

const start = (day: string, timeZone: string) => startOfDay(day, timeZone).toISOString()

test('a day begins when its date does, also where midnight is skipped or comes twice', () => {
  for (const [day, timeZone, beginning] of [
    ['2026-01-31', 'UTC', '2026-01-31T00:00:00.000Z'],
    ['2026-03-29', 'Europe/Prague', '2026-03-28T23:00:00.000Z'],
    ['2026-03-30', 'Europe/Prague', '2026-03-29T22:00:00.000Z'],
    ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'], // 24:00 is 1:00
    ['2026-03-08', 'America/Havana', '2026-03-08T05:00:00.000Z'], // 0:00 is 1:00
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'], // 1:00 is 0:00 again
    ['2010-11-07', 'America/St_Johns', '2010-11-07T02:30:00.000Z'], // 0:01 is 23:01 again
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'], // this day was skipped
    ['2011-12-31', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['1919-03-31', 'America/Toronto', '1919-03-31T04:30:00.000Z'], // 23:30 of the day before was 0:30
  ] as const)
    assert.equal(start(day, timeZone), beginning, `${day} in ${timeZone}`)
})

test('in every zone, whatever its clocks do, nothing before the beginning of a day is of that day', () => {
  let skipped = 0
  for (const timeZone of Intl.supportedValuesOf('timeZone')) {
    for (const change of changesOf(timeZone)) {
      for (const count of [-1, 0, 1, 2]) {
        const day = addDays(dayAt(new Date(change), timeZone), count)
        const beginning = startOfDay(day, timeZone)
        const [before, at] = [dayAt(new Date(+beginning - 1), timeZone), dayAt(beginning, timeZone)]
        assert.ok(before < day && day <= at, `${day} in ${timeZone} begins ${beginning.toISOString()}`)
        if (clock(timeZone).format(beginning) !== '00:00') skipped++
      }
    }
  }
  assert.ok(skipped > 20, `there were days without a midnight: ${skipped}`)
})

test('a day has a year of four digits, as a field has it while its year is typed', () => {
  for (const [day, beginning] of [
    ['0002-01-31', '0002-01-31T00:00:00.000Z'],
    ['0027-01-31', '0027-01-31T00:00:00.000Z'],
    ['0202-01-31', '0202-01-31T00:00:00.000Z'],
  ] as const) {
    assert.equal(start(day, 'UTC'), beginning)
    assert.equal(dayAt(new Date(beginning), 'UTC'), day)
  }
})

test('the filters end with the last hour of their last day', () => {
  const zone = 'America/Santiago'
  assert.deepEqual(timesOf({ from: '2026-09-05', to: '2026-09-05' }, zone), {
    from: '2026-09-05T04:00:00.000Z',
    to: '2026-09-06T04:00:00.000Z',
  })
  assert.deepEqual(timesOf({}, zone), {})
})

const clocks = new Map<string, Intl.DateTimeFormat>()

function clock(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  const found = known ?? new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' })
  clocks.set(timeZone, found)
  return found
}

/** The changes of a zone's offset in some years, to the day. */
function changesOf(timeZone: string): number[] {
  const changes: number[] = []
  const timeAt = (time: number) => clock(timeZone).format(time)
  const isSame = (one: number, other: number) => timeAt(one) === timeAt(other) // whole days apart
  const [first, last] = [Date.UTC(2022, 0, 1), Date.UTC(2028, 0, 1)]
  for (let time = first; time < last; time += 15 * dayLength) {
    let [before, after] = [time, time + 15 * dayLength]
    if (isSame(before, after)) continue
    while (after - before > dayLength) {
      const middle = before + Math.floor((after - before) / dayLength / 2) * dayLength
      if (isSame(before, middle)) before = middle
      else after = middle
    }
    changes.push(after)
  }
  return changes
}
