/** Refusals: what the API would refuse with a problem, in the words of a command. */
import { TenantError } from '../features/tenants/tenants.ts'
import type { Fault } from '../platform/http/faults.ts'
import { Problem } from '../platform/http/problems.ts'
import { buildChecker } from '../platform/http/validation.ts'

/** Says what is wrong, by the names that the command line has for it. */
type SayFaults = (faults: readonly Fault[]) => string

/** @throws TenantError if a body does not fit the schema of its route */
export function checkBody(schema: object, body: object, sayFaults: SayFaults): void {
  const faults = buildChecker(schema)(body)
  if (faults.length > 0) throw new TenantError(sayFaults(faults))
}

/** @throws TenantError instead of a problem; any other error as it is */
export function explain(error: unknown, sayFaults: SayFaults): never {
  if (!(error instanceof Problem)) throw error
  const { errors } = error.extra as { errors?: readonly Fault[] } // of invalidRequest
  throw new TenantError(errors ? sayFaults(errors) : error.title)
}
