/** The greatest numbers in the documents and in the contract are those of the list in src/domain/limits/caps.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Cap, caps } from '../src/domain/limits/caps.ts'
import { mostPermissions, mostRoles } from '../src/domain/permissions/access-model.ts'
import { builtInPermissions } from '../src/domain/permissions/permissions.ts'
import { roles } from '../src/domain/permissions/roles.ts'
import { problems } from '../src/domain/problems.ts'
import { readConfig } from '../src/platform/settings/config.ts'
import { readDocument } from './documents.ts'

/** Sentences of documents, with the number of a cap in them. */
const said: readonly (readonly [path: string, pattern: RegExp, of: keyof typeof caps])[] = [
  ['docs/build/organizations.md', /owns ([\d,]+) organizations \(`MAX_ORGANIZATIONS`\)/, 'organizations'],
  ['docs/build/invitations.md', /at most ([\d,]+) pending\s+invitations/, 'pendingInvitations'],
  ['docs/build/invitations.md', /up to ([\d,]+) live\s+links/, 'links'],
  ['docs/build/sessions.md', /more than ([\d,]+) sessions \(`MAX_SESSIONS`\)/, 'sessions'],
  ['docs/security/decisions.md', /at most ([\d,]+) sessions/, 'sessions'],
  ['docs/build/permissions.md', /member's grants, of at most ([\d,]+):/, 'grants'],
  ['docs/build/permissions.md', /up to ([\d,]+) permissions and/, 'permissions'],
  ['docs/build/permissions.md', /permissions and ([\d,]+) roles/, 'roles'],
  ['docs/build/applications.md', /A tenant has at most ([\d,]+) applications/, 'applications'],
  ['docs/build/applications.md', /`limit_reached` \| the tenant has ([\d,]+) applications/, 'applications'],
  ['docs/build/providers.md', /A tenant has at most ([\d,]+) providers/, 'providers'],
  ['docs/build/providers.md', /`limit_reached` \| the tenant has ([\d,]+) providers/, 'providers'],
  ['docs/build/sign-in.md', /for ([\d,]+) wrong proofs/, 'wrongProofs'],
  ['docs/build/sign-in.md', /had ([\d,]+) wrong proofs/, 'wrongProofs'],
  ['docs/build/sign-in.md', /at most ([\d,]+) attempts at each step/, 'attempts'],
  ['docs/build/sign-in.md', /adding more than ([\d,]+) factors/, 'factors'],
  ['docs/build/sign-in.md', /linking more than ([\d,]+) accounts/, 'identities'],
  ['docs/build/keys.md', /Live at most \| ([\d,]+) \|/, 'keys'],
  ['docs/build/keys.md', /Live at most \| \d+ \| ([\d,]+) \|/, 'organizationKeys'],
  ['docs/build/keys.md', /Live at most \| \d+ \| \d+ \| ([\d,]+) \|/, 'tenantKeys'],
  ['docs/operate/import.md', /at most ([\d,]+) \[roles of your own\]/, 'grants'],
  ['docs/operate/import.md', /The user has ([\d,]+) linked accounts already/, 'identities'],
  ['docs/operate/settings.md', /`MAX_ORGANIZATIONS` \| `([\d,]+)`/, 'organizations'],
  ['docs/operate/settings.md', /`MAX_PENDING_INVITES` \| `([\d,]+)`/, 'pendingInvitations'],
  ['docs/operate/settings.md', /`MAX_SESSIONS` \| `([\d,]+)`/, 'sessions'],
  ['.spectral.yaml', /MAX_SESSIONS, ([\d,]+) providers/, 'providers'],
  ['.spectral.yaml', /([\d,]+) factors/, 'factors'],
  ['.spectral.yaml', /([\d,]+) linked accounts/, 'identities'],
]

test('the documents name the greatest numbers that hold', () => {
  const mostOf = (cap: Cap) => ('most' in cap ? cap.most : cap.mostOf(readConfig({})))
  for (const cap of Object.values<Cap>(caps)) {
    if (cap.beyond !== '`limit_reached`') continue
    const [things, owner] = cap.what.replace(/ \(.*\)/, '').split(/ of an? /)
    const sentence = 'setting' in cap ? `\`${cap.setting}\`` : `\\b${cap.most} ${things}\\b`
    assert.match(problems.limit_reached.detail, new RegExp(sentence), `${things} of ${owner}`)
  }
  for (const [path, pattern, of] of said) {
    const [sentence, number = ''] = pattern.exec(readDocument(path).text) ?? assert.fail(`${path} has no ${pattern}`)
    assert.equal(Number(number.replaceAll(',', '')), mostOf(caps[of]), `${path}: ${sentence}`)
  }
})

test('a list has room for the built-in permissions and roles, and for as many as a product may have', () => {
  assert.ok(mostPermissions >= builtInPermissions.length + caps.permissions.most)
  assert.ok(mostRoles >= roles.length + caps.roles.most)
})
