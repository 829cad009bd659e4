/** The settings and the SQL of compose.yaml, on a PostgreSQL that asks for passwords as that of compose.yaml does. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { settings } from '../src/platform/settings/config.ts'
import { createDatabase } from './database.ts'
import { root, run } from './processes.ts'

const written = readFileSync(join(root, 'compose.yaml'), 'utf8')
/** As compose reads it where no variable is set. */
const compose = written.replace(/\$\{\w+:-([^}]*)\}/g, '$1')
const lines = (pattern: RegExp) => pattern.exec(compose)?.[1] ?? ''
const environment: Readonly<Record<string, string>> = Object.fromEntries(
  [...lines(/^x-guildhall:.*?^ {2}environment:\n((?: {4}[^\n]*\n)+)/ms).matchAll(/^ {4}(\w+): "?(.*?)"?$/gm)].map(
    ([, name = '', value = '']) => [name, value],
  ),
)
const statements = lines(/^ {4}content: \|\n((?: {6}.*\n)+)/m)
  .trim()
  .split(/;\s*/)
  .filter(Boolean)

test('compose.yaml gives the service its settings, and nothing that is no setting', () => {
  const names = Object.keys(environment)
  assert.ok(names.length > 5)
  assert.deepEqual(
    names.filter((name) => !settings.some((setting) => setting === name)),
    [],
  )
})

test('with what compose.yaml sets, the service reaches the database that the SQL of compose.yaml makes', async (t) => {
  const { url: lent, query, drop } = await createDatabase()
  const { DATABASE_URL: given = '' } = environment
  const url = new URL(given)
  assert.deepEqual([url.host, url.username, url.pathname], ['postgres:5432', 'guildhall', '/guildhall'])

  // The server of the tests has a role of this name already.
  const name = `test_${randomBytes(6).toString('hex')}_compose`
  t.after(async () => {
    await query(`drop database if exists ${name}`)
    await query(`drop role if exists ${name}`)
    await drop()
  })
  assert.equal(statements.length, 2)
  for (const statement of statements) await query(statement.replaceAll('guildhall', name))
  const DATABASE_URL = given.replaceAll('guildhall', name).replace('postgres:5432', new URL(lent).host)

  const command = run(['migrate'], { env: { HOST: '0.0.0.0', ...environment, DATABASE_URL } }) // HOST is the image's
  assert.equal(await command.ended, 0, command.err)
})

test('one variable is the password of the database, wherever compose.yaml has it', () => {
  const variables = /\$\{DATABASE_PASSWORD:-only-to-try\}/g
  assert.equal(written.match(variables)?.length, 3)
  assert.doesNotMatch(written.replace(variables, ''), /password '[^']|:[^/\s]+@postgres|POSTGRES_PASSWORD: \S/i)
})
