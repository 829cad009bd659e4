/**
 * Certainty: a seed instead of chance, and a clock that is set by hand, in this process and in its database. The same actions in the same
 * order then leave the same bytes.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'
import { migrate } from '../src/platform/database/migrate.ts'
import { createDatabase, type TestDatabase } from '../test/database.ts'

/** The start of each clock. */
const beginning = Date.parse('2026-01-31T09:30:00Z')

/** Makes all random numbers from now on follow from the seed, except those that the driver draws to sign in to the database. */
export function replaceChance(seed: string): void {
  let drawn = 0
  const draw = (size: number): Buffer => {
    const blocks = Array.from({ length: Math.ceil(size / 32) }, () =>
      crypto.hash('sha256', `${seed} ${drawn++}`, 'buffer'),
    )
    return Buffer.concat(blocks).subarray(0, size)
  }
  const { randomBytes } = crypto
  const fill = (buffer: Uint8Array) => {
    buffer.set(draw(buffer.length))
    return buffer
  }
  Object.assign(crypto, { randomBytes: draw, randomFillSync: fill })
  syncBuiltinESMExports() // for importers by name
  crypto.randomBytes = randomBytes // for the driver, which requires it and opens connections at any time
}

export interface Clock {
  now(): Date
  /** Moves the clocks forward. */
  advance(seconds: number): Promise<void>
}

/** @returns a database with the present schema, in which `now()`, `clock_timestamp()` and `statement_timestamp()` follow the clock, as `Date` does here */
export async function createClockedDatabase(): Promise<{ postgres: TestDatabase; clock: Clock }> {
  const postgres = await createDatabase()
  const { query } = postgres
  let now = beginning
  mock.timers.enable({ apis: ['Date'], now })
  const wind = () =>
    query(
      ['now', 'clock_timestamp', 'statement_timestamp']
        .map(
          (name) => `create or replace function public.${name}() returns timestamptz stable parallel safe language sql
            as $$ select timestamptz '${new Date(now).toISOString()}' $$`,
        )
        .join(';'),
    )
  try {
    await query('drop schema public cascade')
    await query('create schema public authorization guildhall')
    await wind()
    // Found before PostgreSQL's own function, also by the defaults of columns.
    await query(
      `do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`,
    )
    await migrate(postgres.url)
  } catch (error) {
    await postgres.drop() // or its connections keep the process from ending
    throw error
  }
  return {
    postgres,
    clock: {
      now: () => new Date(now),
      advance: async (seconds) => {
        now += seconds * 1000
        mock.timers.setTime(now)
        await wind()
      },
    },
  }
}
