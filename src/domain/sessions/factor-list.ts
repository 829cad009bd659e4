/** The list of a person's factors, as the person and tenant admins see it. */
import { type Static, Type } from 'typebox'
import type { Sql } from '../../platform/database/database.ts'
import { Nullable, ref, Timestamp } from '../../platform/http/schemas.ts'
import { Factor, selectFactors } from '../credentials/factors.ts'
import { countRecoveryCodes } from '../credentials/recovery-codes.ts'
import { ApiProblem } from '../problems.ts'
import { type Person, selectPerson } from './policy.ts'
import { requirementsOf } from './ways-in.ts'

export type Factors = Static<typeof Factors>
export const Factors = Type.Object(
  {
    data: Type.Array(ref(Factor), { maxItems: 20 }),
    recoveryCodes: Nullable(
      Type.Object({ left: Type.Integer({ minimum: 0, maximum: 10, format: 'int32' }), createdAt: Timestamp }),
    ),
    requiredBy: Type.Array(Type.String({ maxLength: 40, examples: ['tenant'] }), {
      maxItems: 1001,
      description: 'Who requires a second factor: `tenant`, and the ids of organizations.',
    }),
  },
  { description: 'The whole list.' },
)

/** @throws Problem not_found */
export async function listFactors(sql: Sql, userId: string): Promise<Factors> {
  const [person] = await sql<Person>`${selectPerson(sql.tenant, userId)}`
  if (!person) throw new ApiProblem('not_found')
  const data = await sql<Factor>`${selectFactors(sql.tenant, userId)}`
  return { data, recoveryCodes: await countRecoveryCodes(sql, userId), requiredBy: await requirementsOf(sql, person) }
}
