/** The parts of the code that tools/mutation.ts changes, and the tests that have to notice. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './tree.ts'

export interface Part {
  readonly mutate: readonly string[]
  /** The test files that have to notice. */
  readonly tests: readonly string[]
}

export const parts: Readonly<Record<string, Part>> = {
  tokens: {
    mutate: ['src/domain/access/tokens.ts'],
    tests: [
      'src/domain/access/authentication.test.ts',
      'src/domain/access/tokens.test.ts',
      'src/features/invitations/invitations.test.ts',
      'src/features/invitations/resending.test.ts',
      'src/features/invitations/links.test.ts',
      'test/tenancy.test.ts',
    ],
  },
  permissions: {
    mutate: [
      'src/domain/permissions/held.ts',
      'src/domain/permissions/roles.ts',
      'src/domain/permissions/rules.ts',
      'src/domain/permissions/scopes.ts',
    ],
    tests: [
      'src/features/members/members.test.ts',
      'src/features/invitations/invitations.test.ts',
      'src/features/invitations/resending.test.ts',
      'src/features/invitations/inviters.test.ts',
      'src/features/roles/access-model.test.ts',
      'src/features/roles/roles.test.ts',
      'src/features/roles/single-permissions.test.ts',
      'test/access.test.ts',
      'test/key-access.test.ts',
      'test/application-access.test.ts',
      'test/models/cover.deep.test.ts',
      'test/models/organizations.deep.test.ts',
    ],
  },
  access: {
    mutate: [
      'src/domain/access/authentication.ts',
      'src/domain/access/authorization.ts',
      'src/domain/access/caller.ts',
      'src/domain/access/rules.ts',
      'src/domain/access/tenancy.ts',
      'src/domain/sessions/lifetime.ts',
      'src/domain/sessions/uses.ts',
    ],
    tests: [
      'src/domain/access/authentication.test.ts',
      'src/domain/access/authorization.test.ts',
      'src/domain/access/keys.test.ts',
      'src/domain/sessions/cookies.test.ts',
      'src/domain/sessions/sessions.test.ts',
      'src/features/sign-in/required-factor.test.ts',
      'test/tenancy.test.ts',
      'test/access.test.ts',
      'test/access-accounts.test.ts',
      'test/key-access.test.ts',
      'test/application-access.test.ts',
    ],
  },
  passwords: {
    mutate: ['src/domain/credentials/passwords.ts'],
    tests: [
      'src/domain/credentials/passwords.test.ts',
      'src/domain/credentials/guessing.test.ts',
      'src/domain/credentials/lockout.test.ts',
    ],
  },
  factors: {
    mutate: [
      'src/domain/credentials/factors.ts',
      'src/domain/credentials/recovery-codes.ts',
      'src/domain/credentials/totp.ts',
    ],
    tests: [
      'src/domain/credentials/recovery-codes.test.ts',
      'src/domain/credentials/totp.test.ts',
      'src/domain/credentials/passkeys.test.ts',
      'src/domain/sealing/resealing.test.ts',
      'src/features/administration/factors.test.ts',
      'src/features/sign-in/second-factor.test.ts',
      'src/features/sign-in/lost-secret.test.ts',
      'src/features/sign-in/planted.test.ts',
    ],
  },
  identities: {
    mutate: ['src/domain/credentials/identities.ts', 'src/domain/sessions/linking.ts'],
    tests: [
      'src/domain/mail/sign-in.test.ts',
      'src/features/administration/identities.test.ts',
      'src/features/sign-in/linking.test.ts',
      'src/features/sign-in/planted.test.ts',
      'src/features/sign-in/races.test.ts',
      'src/process/transfer/identities.test.ts',
    ],
  },
  attempts: {
    mutate: ['src/domain/access/mail-codes.ts', 'src/domain/sessions/attempts.ts'],
    tests: [
      'src/domain/access/mail-codes.test.ts',
      'src/domain/sessions/attempts.test.ts',
      'src/features/sign-in/linking.test.ts',
      'src/features/sign-in/mail-code.test.ts',
      'src/features/sign-in/second-factor.test.ts',
      'src/features/sign-in/wrong-codes.test.ts',
      'src/features/sign-in/wrong-proofs.test.ts',
    ],
  },
  applications: {
    mutate: [
      'src/domain/applications/codes.ts',
      'src/domain/applications/granting.ts',
      'src/domain/applications/reuse.ts',
    ],
    tests: [
      'src/features/applications/authorization.test.ts',
      'src/features/applications/authorize.test.ts',
      'src/features/applications/races.test.ts',
      'src/features/applications/revocation.test.ts',
      'src/features/applications/token.test.ts',
      'src/features/applications/token-races.test.ts',
    ],
  },
  keys: {
    mutate: ['src/domain/keys/key-states.ts'],
    tests: [
      'src/domain/keys/endings.test.ts',
      'src/domain/keys/expiry.test.ts',
      'src/domain/keys/races.test.ts',
      'src/domain/organizations/offers-by-key.test.ts',
      'src/features/keys/organization.test.ts',
      'src/features/keys/own.test.ts',
      'src/features/keys/tenant.test.ts',
    ],
  },
  pagination: {
    mutate: ['src/platform/http/pagination.ts', 'src/platform/database/keyset.ts'],
    tests: ['src/platform/http/pagination.test.ts', 'src/features/administration/users.test.ts'],
  },
  invitations: {
    mutate: [
      'src/features/invitations/acceptance.ts',
      'src/features/invitations/invitations.ts',
      'src/features/invitations/inviting.ts',
      'src/features/invitations/sending.ts',
      'src/domain/organizations/invitation-states.ts',
    ],
    tests: [
      'src/features/invitations/invitations.test.ts',
      'src/features/invitations/bulk.test.ts',
      'src/features/invitations/resending.test.ts',
      'src/features/invitations/inviters.test.ts',
      'src/features/invitations/lists.test.ts',
      'src/features/invitations/acceptance.test.ts',
      'src/features/invitations/links.test.ts',
      'test/models/organizations.deep.test.ts',
    ],
  },
}

/** @returns each file that a part names and that is not there: its code would not be changed, or its tests not be run */
export async function findGoneParts(): Promise<string> {
  return Object.entries(parts)
    .flatMap(([name, { mutate, tests }]) => [...mutate, ...tests].map((path) => ({ name, path })))
    .filter(({ path }) => !existsSync(join(root, path)))
    .map(({ name, path }) => `tools/mutation-parts.ts: the part ${name} names ${path}, which is not there`)
    .join('\n')
}
