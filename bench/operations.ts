/** Operations: all measured operations. */
import { administration } from './operations/administration.ts'
import { applications } from './operations/applications.ts'
import { invitationWrites } from './operations/invitations.ts'
import { keys } from './operations/keys.ts'
import { membershipWrites } from './operations/memberships.ts'
import type { Operation } from './operations/operation.ts'
import { reads } from './operations/reads.ts'
import { roles } from './operations/roles.ts'
import { signIns } from './operations/sign-in.ts'
import { writes } from './operations/writes.ts'

export const operations: readonly Operation[] = [
  ...reads,
  ...writes,
  ...invitationWrites,
  ...membershipWrites,
  ...signIns,
  ...administration,
  ...roles,
  ...keys,
  ...applications,
]

/**
 * @param words kinds, names, or parts of names; none for all operations
 * @throws Error if a word matches no operation
 */
export function chooseOperations(words: readonly string[]): readonly Operation[] {
  if (words.length === 0) return operations
  const chosen = words.flatMap((word) => {
    const named = operations.filter(({ name, kind }) => name === word || kind === word)
    const found = named.length > 0 ? named : operations.filter(({ name }) => name.includes(word))
    if (found.length > 0) return found
    throw new Error(
      `No operation has "${word}" in its name. There are: ${operations.map(({ name }) => name).join('; ')}. Their kinds are read, list, write and administration.`,
    )
  })
  return operations.filter((operation) => chosen.includes(operation))
}
