/** The list of a person's factors, as the person and tenant admins see it. */
import { type Static, Type } from 'typebox'
import type { Statement } from '../../platform/database/database.ts'
import { Nullable, ref, Timestamp } from '../../platform/http/schemas.ts'
import { Factor, selectFactors } from '../credentials/factors.ts'
import { countRecoveryCodes } from '../credentials/recovery-codes.ts'
import { caps } from '../limits/caps.ts'
import { found } from '../problems.ts'
import { type Person, selectPerson } from './policy.ts'
import { requirementsOf, selectRequiring } from './ways-in.ts'

export type Factors = Static<typeof Factors>
export const Factors = Type.Object(
  {
    data: Type.Array(ref(Factor), { maxItems: caps.factors.most }),
    recoveryCodes: Nullable(
      Type.Object({
        left: Type.Integer({ minimum: 0, maximum: caps.recoveryCodes.most, format: 'int32' }),
        createdAt: Timestamp,
      }),
    ),
    requiredBy: Type.Array(Type.String({ maxLength: 40, examples: ['tenant'] }), {
      maxItems: 1001,
      description: 'Who requires a second factor: `tenant`, and the ids of organizations.',
    }),
  },
  { description: 'The whole list.' },
)

/** The rows of the statements, by their names. */
export type FactorRows = {
  readonly people: Person
  readonly factors: Factor
  readonly codes: { readonly left: number; readonly createdAt: string }
  readonly requiring: { readonly id: string }
}

/** The statements of a reading door. */
export function selectFactorList(tenant: string, user: Statement | string): Record<keyof FactorRows, Statement> {
  return {
    people: selectPerson(tenant, user),
    factors: selectFactors(tenant, user),
    codes: countRecoveryCodes(tenant, user),
    requiring: selectRequiring(tenant, user),
  }
}

/** @throws Problem not_found */
export function toFactorList(rows: { readonly [Name in keyof FactorRows]: readonly FactorRows[Name][] }): Factors {
  const person = found(rows.people[0])
  const [recoveryCodes = null] = rows.codes
  return { data: [...rows.factors], recoveryCodes, requiredBy: requirementsOf(person, rows.requiring) }
}
