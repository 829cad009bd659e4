/**
 * Fastify alone: a constant answer, and for each operation one prepared statement by a pool of pg, whose rows are the answer. A sign-in has
 * a second one before it. It connects as the superuser, to whom the wall does not apply.
 */
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import pg from 'pg'
import { Type } from 'typebox'
import { Grant } from '../../src/domain/organizations/grants.ts'
import { Invitation, Maker } from '../../src/domain/organizations/invitations.ts'
import { Member } from '../../src/domain/organizations/members.ts'
import { Organization } from '../../src/domain/organizations/organizations.ts'
import { Person, User } from '../../src/domain/people/users.ts'
import { AuditEntry } from '../../src/domain/record/entries.ts'
import { Device } from '../../src/domain/sessions/sessions.ts'
import { sha256 } from '../../src/platform/cryptography.ts'
import { formats } from '../../src/platform/http/formats.ts'
import type { Bare, Operation, Place, Query, Received } from '../operations/operation.ts'
import { operations } from '../operations.ts'

const { DATABASE_URL, PORT, PLACE = '' } = process.env
const place = JSON.parse(PLACE) as Place // contenders.ts writes it
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 }) // the size of the service's pool

const app = Fastify({
  serializerOpts: { ajv: { formats: Object.fromEntries(Object.keys(formats).map((name) => [name, true])) } },
})
const Status = Type.Object({ status: Type.String() })
app.get('/constant', { schema: { response: { 200: Status } } }, async () => ({ status: 'ok' }))
for (const schema of [AuditEntry, Device, Grant, Invitation, Maker, Member, Organization, Person, User])
  app.addSchema(schema)
for (const [index, operation] of operations.entries())
  if (operation.bare) serve(app, `/${index}`, operation, operation.bare)
await app.listen({ host: '127.0.0.1', port: Number(PORT) })
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => process.exit())

const query: Query = async (name, text, values) => (await pool.query({ name, text, values: [...values] })).rows

/** @param prefix separates operations that have the same path */
function serve(app: FastifyInstance, prefix: string, { ask, status, name }: Operation, bare: Bare): void {
  const text = bare.statement(place)
  app.route({
    method: ask(0, place).method,
    url: prefix + bare.url,
    schema: { response: { [status]: bare.schema } },
    handler: async (request, reply) => {
      const received = request as unknown as Received // requests come only from the benchmark
      const values = await bare.values(received, place, query)
      const rows = await query(name, text, [place.tenant, hashOfToken(request), ...values])
      const answer = bare.answer(rows, received)
      if (answer === undefined) throw new Error(`${name}: the statement has returned other rows than expected.`)
      return reply.status(status).send(answer)
    },
  })
}

function hashOfToken({ headers: { authorization } }: FastifyRequest): Buffer | null {
  return authorization === undefined ? null : sha256(authorization.slice('Bearer '.length))
}
