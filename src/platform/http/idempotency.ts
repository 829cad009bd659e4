/**
 * Idempotency: a request that is sent again, because nobody knows whether it arrived, has its effect once
 * (draft-ietf-httpapi-idempotency-key-header-07).
 *
 * Invariant: a key is kept exactly when its change is, since both are in one transaction. If a caller sends it again and still has the
 * right to, the answer is the first one.
 */
import { setTimeout } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { type Keyring, sha256 } from '../cryptography.ts'
import {
  join,
  type NamedStatements,
  type Purge,
  type Row,
  type Sql,
  type Statement,
  statement,
  withoutCommit,
} from '../database/database.ts'
import { LockedError } from '../database/errors.ts'
import { invalidHeader, type Problem, RequestProblem } from './problems.ts'
import { allowMissingFields } from './serialization.ts'
import type { App } from './server.ts'

/** The key that came with a request. */
interface IdempotencyKey {
  /** The name under which it is kept: its text, and the request's route with what its path names, however that is spelt. */
  readonly digest: Buffer
  /** What tells one body from another. */
  readonly body: string
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Of the requests of this process, with what each was sent. */
    readonly keysUnderWay: Set<string>
  }
  interface FastifyRequest {
    idempotencyKey: IdempotencyKey | undefined
    /** Whether the answer is that of an earlier request. */
    isReplay: boolean
  }
  interface FastifyContextConfig {
    /** Whether the route takes `Idempotency-Key`. */
    takesIdempotencyKey?: boolean
  }
}

/** Reads `Idempotency-Key` where a route takes it, and says of an answer that it was given before. */
export function readIdempotencyKeys(app: App): void {
  app.decorate('keysUnderWay', new Set<string>())
  app.decorateRequest('idempotencyKey', undefined)
  app.decorateRequest('isReplay', false)
  app.addHook('onRoute', (route) => {
    if (!route.config?.takesIdempotencyKey) return
    route.preHandler = async (request: FastifyRequest) => {
      request.idempotencyKey = readKey(request)
    }
    route.preSerialization = async (request, reply, payload) => {
      if (request.isReplay && reply.statusCode < 300) allowMissingFields(reply)
      return payload
    }
    route.onSend = async (request, reply) => {
      if (request.isReplay && reply.statusCode < 300) reply.header('idempotent-replayed', 'true')
    }
  })
}

/** @throws Problem invalid_request */
function readKey({ headers, method, routeOptions: { url }, params, body }: FastifyRequest): IdempotencyKey | undefined {
  const header = headers['idempotency-key']?.toString().trim()
  if (header === undefined) return undefined
  const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/.exec(header)?.[1]?.replace(/\\(.)/g, '$1')
  const key = quoted ?? /^[\x21\x23-\x2b\x2d-\x7e]+$/.exec(header)?.[0] ?? ''
  if (key.length < 1 || key.length > 255)
    throw invalidHeader(
      'The header `Idempotency-Key` must have 1 to 255 printable ASCII characters, preferably in quotes: `"8e03978e-40d5-43e8-bc93-6894a57f9324"`.',
    )
  return { digest: sha256(`${method} ${url} ${JSON.stringify(params)}\n${key}`), body: inOrder(body) }
}

/** The same text for the same body, in whatever order its fields came. */
function inOrder(body: unknown): string {
  return JSON.stringify(body ?? null, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
}

/** How long an answer is kept. */
const answerLifetime = statement`interval '24 hours'`

/**
 * Claims the key before anything else is locked: a duplicate waits here, briefly, while the first is under way, and then fails with
 * LockedError. `claimed` returns a row if the key was free: others commit theirs with a result.
 *
 * @param caller the id of the caller, as an expression; null: nobody
 */
export function claimKey(
  { digest, body }: IdempotencyKey,
  keyring: Keyring,
  tenant: string,
  caller: Statement,
): { readonly claimed: Statement } & NamedStatements {
  return {
    lockTimeout: statement`set local lock_timeout = '50ms'`,
    expired: statement`
      delete from idempotency_keys
      where tenant_id = ${tenant} and user_id = ${caller} and digest = ${digest} and created_at < now() - ${answerLifetime}`,
    claim: statement`
      insert into idempotency_keys (tenant_id, user_id, digest, fingerprint)
      select t.id, caller.id, ${digest}, ${keyring.hmac('idempotency', body)}
      from tenants t
      cross join (select ${caller} as id) caller
      where t.id = ${tenant} and caller.id is not null
      on conflict (tenant_id, user_id, digest) do nothing`,
    claimed: statement`
      select true from idempotency_keys
      where tenant_id = ${tenant} and user_id = ${caller} and digest = ${digest} and result::text = 'null'`,
    noLockTimeout: statement`set local lock_timeout = 0`,
  }
}

/**
 * Does the work of a request whose key was free, and keeps what came of it; or finds what came of it before.
 *
 * @param caller  the id under which the result is kept, and the organization that the caller is in
 * @param claimed what claimKey's `claimed` returned
 * @param about   finds the organization that the request is about: its id, or none. After the work it is locked
 * @throws Problem idempotency_key_reused when the key came with another body before, or about another organization that had the slug then
 */
export async function onlyOnce<T>(
  request: FastifyRequest,
  sql: Sql,
  { id: caller, organizationId }: { readonly id: string; readonly organizationId: string | null },
  claimed: readonly Row[] | undefined,
  work: (sql: Sql) => Promise<T>,
  about: (sql: Sql) => Promise<readonly string[]>,
): Promise<T> {
  const { digest, body } = request.idempotencyKey as IdempotencyKey // the door asks with one alone
  const isIt = statement`tenant_id = ${sql.tenant} and user_id = ${caller} and digest = ${digest}`
  if (claimed?.length) {
    const result = await work(withoutCommit(sql))
    const text = JSON.stringify(result)
    // A result goes with each person it names: these are found by their ids. It goes with its organization, which it may not name.
    const ids = text.match(/\b(user|inv|org)_[0-7][0-9a-z]{25}\b/g) ?? []
    const names = [...new Set([...ids, ...(await about(sql))])]
    await sql.commit([
      sql`update idempotency_keys set result = ${text}, organization_id = ${organizationId ?? ''} where ${isIt}`,
      names.length > 0 &&
        sql`
          insert into idempotency_names (tenant_id, name, user_id, digest)
          values ${join(names.map((name) => statement`(${sql.tenant}, ${name}, ${caller}, ${digest})`))}`,
    ])
    return result
  }
  // The slug may have moved to another organization since. If none has it now, what was done is still what the request asked for.
  const [named = null] = await about(sql)
  const [kept] = await sql<{ fingerprint: Buffer; isOther: boolean; result: T }>`
    select fingerprint, result, ${named}::text is not null and not exists (
      select from idempotency_names where ${isIt} and name = ${named}) as is_other
    from idempotency_keys where ${isIt}`
  if (!kept) throw requestInProgress() // it has just gone, with whomever it spoke of
  const isSame = request.server.keyring.verifies(kept.fingerprint, 'idempotency', body)
  if (!isSame || kept.isOther) throw new RequestProblem('idempotency_key_reused')
  request.isReplay = true
  return kept.result
}

/** How long a duplicate waits for the request that it repeats, in milliseconds. */
const waitTimeout = 2_000

/**
 * Waits for a request with the same key that is still under way, and holds neither a connection nor a place in a line meanwhile. In this
 * process, it is known before it takes its turn; in another one, by the lock of its row.
 *
 * @param credential the hash of what the request was sent with
 * @throws Problem request_in_progress
 */
export async function awaitFirst<T>(
  { server: { keysUnderWay }, idempotencyKey }: FastifyRequest,
  credential: Buffer,
  change: () => Promise<T>,
): Promise<T> {
  const { digest } = idempotencyKey as IdempotencyKey // the door asks with one alone
  const name = Buffer.concat([credential, digest]).toString('base64')
  for (const end = performance.now() + waitTimeout; ; await setTimeout(50 * Math.random())) {
    if (!keysUnderWay.has(name)) {
      keysUnderWay.add(name)
      try {
        return await change()
      } catch (error) {
        if (!(error instanceof LockedError)) throw error
      } finally {
        keysUnderWay.delete(name)
      }
    }
    if (performance.now() >= end) throw requestInProgress()
  }
}

function requestInProgress(): Problem {
  return new RequestProblem('request_in_progress', {}, { 'retry-after': '1' })
}

/** Takes away what was kept of answers that name somebody or something that goes. */
export async function forgetAnswers(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql`
    delete from idempotency_keys k
    using idempotency_names n
    where n.tenant_id = ${sql.tenant} and n.name = any(${ids})
      and k.tenant_id = ${sql.tenant} and k.user_id = n.user_id and k.digest = n.digest`
}

/** Takes away what was kept of answers to a person who goes, also through applications, whose ids follow theirs and a blank; and to keys. */
export async function forgetAnswersTo(sql: Sql, userId: string, keyIds: readonly string[]): Promise<void> {
  await sql`
    delete from idempotency_keys k
    where k.tenant_id = ${sql.tenant} and k.user_id >= ${userId} and k.user_id < ${`${userId}!`}`
  await forgetAnswersToKeys(sql, keyIds)
}

/** Takes away what was kept of answers to keys that go. */
export async function forgetAnswersToKeys(sql: Sql, keyIds: readonly string[]): Promise<void> {
  if (keyIds.length > 0)
    await sql`delete from idempotency_keys where tenant_id = ${sql.tenant} and user_id = any(${keyIds})`
}

/** Deletes stored answers that are over. */
export const purgeAnswers: Purge = (sql, batch) => sql`
  with over as (
    select user_id, digest from idempotency_keys
    where tenant_id = ${sql.tenant} and created_at < now() - ${answerLifetime}
    limit ${batch}
    for update skip locked)
  delete from idempotency_keys k
  using over
  where k.tenant_id = ${sql.tenant} and k.user_id = over.user_id and k.digest = over.digest
  returning k.user_id`
