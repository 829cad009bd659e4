/**
 * Fixtures: for the latest versions of the schema, rows that a service on it has written (`0015.sql`), and its answers about them
 * (`0015.json`). `npm run fixture` makes those of the present version, always the same; older ones do not change.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from './json.ts'

export const fixturesFolder = join(import.meta.dirname, 'fixtures')
/** The number of versions with fixtures. */
export const kept = 3

/** A request, and the required parts of its answer. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: object
  /** The secret of an authenticator app, whose code of the moment is sent too. */
  readonly totp?: string
  readonly status: number
  readonly answer: Json
}

export interface Fixture {
  readonly madeAt: string
  /** In this order: first requests that change nothing. */
  readonly exchanges: readonly Exchange[]
}

/** @returns the versions that have fixtures, in their written form: `0015` */
export function listFixtures(): string[] {
  return readdirSync(fixturesFolder)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => name.slice(0, 4))
    .sort()
}

/** Reads a fixture and moves its times to the present, because its sessions and links would have expired. */
export function readFixture(version: string): { sql: string; fixture: Fixture; age: number } {
  const [sql = '', json = ''] = ['sql', 'json'].map((ending) =>
    readFileSync(join(fixturesFolder, `${version}.${ending}`), 'utf8'),
  )
  const { madeAt } = JSON.parse(json) as Fixture // tools/fixture.ts wrote it
  const age = Date.now() - Date.parse(madeAt)
  return { sql: later(sql, age), fixture: JSON.parse(later(json, age)) as Fixture, age }
}

/** Times as PostgreSQL writes them in UTC, and as the API does. */
function later(text: string, milliseconds: number): string {
  return text.replace(/(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)(?:\+00|Z)/g, (_, day, time) =>
    new Date(Date.parse(`${day}T${time}Z`) + milliseconds).toISOString(),
  )
}
