/** Time zones to choose from. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSameZone, isZoneFound, zoneChoices } from './zones.ts'

const found = (typed: string, present: string | null = null) =>
  zoneChoices(present)
    .filter(({ value }) => isZoneFound(value, typed))
    .map(({ label }) => label)

test('a time zone is found by the name that people know today, and by the former one', () => {
  for (const [typed, label] of [
    ['Kolkata', 'Asia/Kolkata'],
    ['calcutta', 'Asia/Kolkata'],
    ['kyiv', 'Europe/Kyiv'],
    ['Kiev', 'Europe/Kyiv'],
    ['ho chi minh', 'Asia/Ho Chi Minh'],
    ['Ho_Chi_Minh', 'Asia/Ho Chi Minh'],
    ['saigon', 'Asia/Ho Chi Minh'],
    ['yangon', 'Asia/Yangon'],
    ['rangoon', 'Asia/Yangon'],
    ['kathmandu', 'Asia/Kathmandu'],
    ['nuuk', 'America/Nuuk'],
    [' Faroe', 'Atlantic/Faroe'],
    ['tokyo', 'Asia/Tokyo'],
  ] as const)
    assert.deepEqual(found(typed), [label], typed)
  assert.deepEqual(found('atlantis'), [])
})

test('a time zone is found by the name of its city as people write it, with accents, spaces or “City”', () => {
  for (const [typed, label] of [
    ['São Paulo', 'America/Sao Paulo'],
    ['Bogotá', 'America/Bogota'],
    ['Asuncio\u0301n', 'America/Asuncion'],
    ['Hồ Chí Minh', 'Asia/Ho Chi Minh'],
    ['Ho Chi Minh City', 'Asia/Ho Chi Minh'],
    ['Panama City', 'America/Panama'],
    ['mexico city', 'America/Mexico City'],
    ['Réunion', 'Indian/Reunion'],
    ['Curaçao', 'America/Curacao'],
    ['Port au Prince', 'America/Port-au-Prince'],
    ['port-au-prince', 'America/Port-au-Prince'],
    ['N’Djamena', 'Africa/Ndjamena'],
    ["St. John's", 'America/St Johns'],
  ] as const)
    assert.deepEqual(found(typed), [label], typed)
})

test('a zone is offered once, under the name that is stored, whichever that is', () => {
  for (const stored of ['Asia/Kolkata', 'Asia/Calcutta']) {
    const zones = zoneChoices(stored).filter(({ label }) => label === 'Asia/Kolkata')
    assert.deepEqual(zones, [{ value: stored, label: 'Asia/Kolkata' }])
  }
  assert.ok(isSameZone('Europe/Kiev', 'Europe/Kyiv'))
  assert.ok(!isSameZone('Europe/Kyiv', 'Europe/Prague'))
})

test('every zone that a browser names has one name of its own here, and is one that the browser knows', () => {
  const choices = zoneChoices(null)
  assert.equal(new Set(choices.map(({ label }) => label)).size, choices.length)
  for (const { value } of choices) assert.ok(new Intl.DateTimeFormat('en', { timeZone: value }))
})
