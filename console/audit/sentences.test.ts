import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import i18next from 'i18next'
import type { Json } from '../../test/json.ts'
import { startTexts } from '../texts/texts.ts'
import { listsIn } from './lists.ts'
import { type Entry, keyNamed, nameIn, sentenceOf, signs, standIn } from './sentences.ts'

await startTexts()
const openapi = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'))

const ann = { type: 'user', id: 'user_ann', name: 'Ann' } as const
const ben = { type: 'user', id: 'user_ben', name: 'Ben' } as const
const nightly = { type: 'key', id: 'key_1', name: 'Nightly import' } as const

function entry(action: string, changes: Partial<Entry> = {}): Entry {
  const empty = {
    via: null,
    application: null,
    organizationId: null,
    ip: null,
    device: null,
    requestId: null,
    details: null,
  }
  const whole = { id: 'aud_1', occurredAt: '2026-01-31T09:30:00.000Z', actor: ann, target: ann, ...empty, ...changes }
  return { ...whole, action: action as Entry['action'] } // from the document, or there in the test
}

/** The sentence as it reads with the names in it. */
function told(action: string, changes: Partial<Entry> = {}, me?: string): string {
  const whole = entry(action, changes)
  const name = (party: Entry['actor'] | Entry['target']) =>
    party.type === 'key' ? keyNamed(party.name) : party.id === me ? 'you' : (party.name ?? party.type.replace('_', ' '))
  return sentenceOf(whole, me).replace(signs.actor, name(whole.actor)).replace(signs.target, name(whole.target))
}

test('every action that the service records has a sentence for every actor and target', () => {
  const { components } = openapi
  const actions: string[] = components.schemas.AuditEntry.properties.action.enum
  assert.ok(actions.length > 30)
  const strangers = ['operator', 'system', 'anonymous'] as const
  for (const action of actions) {
    const readings = [
      told(action),
      told(action, {}, ann.id),
      told(action, { target: ben }),
      told(action, { target: ben }, ann.id),
      told(action, { target: ben }, ben.id),
      told(action, { details: { endedSessions: 1, role: { from: 'member', to: 'admin' }, device: 'Chrome on Linux' } }),
      ...strangers.map((type) => told(action, { actor: { type, id: null, name: null } })),
      told(action, { actor: { type: 'deleted_user', id: 'sub_1', name: null } }),
      told(action, { actor: nightly }),
      told(action, { actor: { ...nightly, name: null } }),
    ]
    for (const sentence of readings) {
      assert.ok(sentence.includes(' '), `${action} reads “${sentence}”`)
      assert.doesNotMatch(sentence, /\{\{|\w\.\w|undefined|_/, action)
    }
  }
})

test('the reader is addressed as “you”, and others by name', () => {
  assert.equal(told('password.changed', {}, ann.id), 'you changed your password')
  assert.equal(told('password.changed'), 'Ann changed their password')
  assert.equal(told('profile.updated', { actor: ben }, ann.id), 'Ben changed your profile')
  assert.equal(told('profile.updated', { actor: ben }), 'Ben changed the profile of Ann')
  const role = { role: { from: 'member', to: 'owner' } }
  assert.equal(told('member.role_changed', { actor: ben, details: role }, ann.id), 'Ben made you an owner')
  assert.equal(told('user.role_changed', { target: ben, details: { role: { to: 'admin' } } }), 'Ann made Ben an admin')
})

test('a sentence says how many sessions were ended, and how', () => {
  const nobody = { type: 'anonymous', id: null, name: null } as const
  assert.equal(told('session.revoked', { details: { endedSessions: 3 } }, ann.id), 'you ended your 3 other sessions')
  assert.equal(
    told('session.revoked', { details: { endedSessions: 0 } }, ann.id),
    'you signed out all your other devices',
  )
  assert.equal(
    told('session.revoked', { actor: nobody, details: { device: 'Chrome on Linux' } }, ann.id),
    'Your session on Chrome on Linux was ended with the link in an email',
  )
})

test('a failed sign-in says that it came to the second factor, or used a passkey', () => {
  const actor = { type: 'anonymous', id: null, name: null } as const
  const refused = (reason?: string) =>
    told('session.refused', { actor, ...(reason && { details: { reason } }) }, ann.id)
  assert.equal(refused(), 'Someone tried to sign in to your account and failed')
  assert.equal(refused('second_factor'), 'Someone tried to sign in to your account and failed at the second factor')
  assert.equal(refused('passkey'), 'Someone tried to sign in to your account with a passkey and failed')
})

test('a consequence of another action names its cause', () => {
  const eve = { type: 'invitation', id: 'inv_1', name: 'eve@example.com' } as const
  const system = { type: 'system', id: null, name: null } as const
  for (const cause of [
    'inviter_left',
    'inviter_removed',
    'inviter_demoted',
    'inviter_suspended',
    'inviter_reset',
    'inviter_right_ended',
  ])
    assert.match(
      told('invitation.revoked', { target: eve, details: { cause } }),
      /^The invitation for eve@example.com was revoked automatically because its sender/,
      cause,
    )
  assert.match(
    told('invitation.revoked', { target: eve, details: { cause: 'invitee_excluded' } }),
    /automatically because that person was removed$/,
  )
  assert.match(
    told('invitation.revoked', { actor: system, target: eve }),
    /automatically because an account was deleted$/,
  )
  assert.equal(told('invitation.revoked', { target: eve }), 'Ann revoked the invitation for eve@example.com')
  for (const action of ['session.revoked', 'password.switched_off'])
    assert.match(told(action, { actor: system }, ann.id), /^Your .* automatically because/, action)
})

test('a link to join, an ended membership and the way in are told in words', () => {
  const link = { type: 'link', id: 'lnk_1', name: null } as const
  const system = { type: 'system', id: null, name: null } as const
  assert.equal(told('link.created', { target: link }), 'Ann created a link to join')
  assert.equal(told('link.ended', { target: link, details: { reason: 'revoked' } }), 'Ann ended a link to join')
  assert.match(
    told('link.ended', { target: link, details: { reason: 'maker', cause: 'inviter_left' } }),
    /^A link to join was ended automatically because the person who created it left/,
  )
  assert.equal(
    told('link.ended', { target: link, details: { reason: 'used' } }),
    'A link to join was ended automatically because it reached its limit',
  )
  assert.match(
    told('link.ended', { actor: system, target: link, details: { reason: 'maker' } }),
    /automatically because an account was deleted$/,
  )
  assert.equal(told('member.expired', { actor: system }, ann.id), 'Your membership ended as scheduled')
  const via = (way: string) => ({ target: ben, details: { role: 'member', via: way } })
  assert.equal(told('member.joined', via('invitation')), 'Ben accepted the invitation and joined as a member')
  assert.equal(told('member.joined', via('link')), 'Ben joined as a member with a link')
  assert.equal(told('member.joined', via('admin'), ben.id), 'Ann added you as a member')
})

test('a key is named as one, and its end has a reason', () => {
  const key = 'the key Nightly import'
  assert.equal(told('key.created', { target: nightly }), `Ann created ${key}`)
  assert.equal(told('key.ended', { target: { ...nightly, name: null } }), 'Ann ended a key')
  assert.equal(told('member.removed', { actor: nightly, target: ben }), `${key} removed Ben`)
  const system = { type: 'system', id: null, name: null } as const
  const ended = (reason: string) => told('key.ended', { actor: system, target: nightly, details: { reason } })
  assert.equal(told('key.ended', { target: nightly, details: { reason: 'revoked' } }), `Ann ended ${key}`)
  assert.equal(ended('expired'), `${key} ended as scheduled`)
  for (const reason of ['holder_left', 'reset', 'suspended', 'left', 'removed'])
    assert.ok(ended(reason).startsWith(`${key} was ended automatically because`), reason)
  const [eve, link] = [
    { type: 'invitation', id: 'inv_1', name: 'Eve' } as const,
    { type: 'link', id: 'lnk_1', name: null } as const,
  ]
  for (const [cause, what] of [
    ['key_ended', 'ended'],
    ['key_narrowed', 'can do less now'],
  ]) {
    const revoked = told('invitation.revoked', { target: eve, details: { cause } })
    assert.ok(revoked.endsWith(`automatically because the key that sent it ${what}`), revoked)
    const ended = told('link.ended', { target: link, details: { reason: 'maker', cause } })
    assert.ok(ended.endsWith(`because the key that created it ${what}`), ended)
  }
  assert.equal(keyNamed('{{name}} $t(audit.kind)'), 'the key {{name}} $t(audit.kind)')
})

test('the details say what was added, changed and removed, and until when', () => {
  const lists = (action: string, details: object) =>
    listsIn(action, details, (iso) => iso.slice(0, 10), new Map()).map(({ name, words }) => `${name}: ${words}`)
  assert.deepEqual(
    lists('member.grants_changed', { added: ['billing until 2027-01-31T09:30:00.000Z', 'crm'], removed: ['audit'] }),
    ['Added: billing until 2027-01-31, crm', 'Removed: audit'],
  )
  assert.deepEqual(lists('access.updated', { added: [], removed: '["a:b","a:c… (300 characters)', changed: ['x'] }), [
    'Removed: a:b, a:c… (300 characters)',
    'Changed: x',
  ])
  assert.deepEqual(lists('link.created', { maxUses: 5, emailDomains: ['acme.example'] }), [
    'For up to: 5 people',
    'Only for addresses at: acme.example',
  ])
  const joined = { role: 'member', via: 'link', grants: ['crm'], expiresAt: '2027-01-31T09:30:00.000Z' }
  assert.deepEqual(lists('member.joined', joined), ['Additional roles: crm', 'Ends: 2027-01-31'])
  assert.deepEqual(lists('user.created', { added: ['a'] }), [])
})

test('the details name roles, permissions and other scopes, and leave a key that nobody knows any more', () => {
  const names = new Map([
    ['org:billing_manager', 'Billing manager'],
    ['members:read', 'See the members'],
    ['crm', 'Sales'],
  ])
  const lists = (action: string, details: object) =>
    listsIn(action, details, (iso) => iso.slice(0, 10), names).map(({ words }) => words)
  assert.deepEqual(
    lists('member.grants_changed', { added: ['crm until 2027-01-31T09:30:00.000Z', 'crm', 'dropped'] }),
    ['Sales until 2027-01-31, Sales, dropped'],
  )
  assert.deepEqual(lists('key.created', { scopes: ['org:billing_manager', 'members:read', 'users:read'] }), [
    'Billing manager, See the members, See users',
  ])
  assert.deepEqual(lists('access.updated', { added: '["crm","members:re… (300 characters)' }), [
    'Sales, members:re… (300 characters)',
  ])
})

test('if an entry has no name, it is taken from its details', () => {
  const nameless = { ...ann, name: null }
  const of = (details: Entry['details']) => nameIn(entry('user.signed_up', { target: nameless, details }), nameless)
  assert.equal(of({ email: 'ann@example.com' }), 'ann@example.com')
  assert.equal(of({ name: { from: null, to: 'Ann' } }), 'Ann')
  assert.equal(of(null), undefined)
  assert.equal(
    nameIn(entry('user.created', { target: ben, details: { email: 'ben@example.com' } }), nameless),
    undefined,
  )
})

test('an erased role is not guessed', () => {
  const gone = { type: 'deleted_user', id: 'sub_1', name: null } as const
  assert.equal(told('member.joined', { actor: gone, target: gone }), 'deleted user joined')
  assert.equal(told('invitation.sent', { actor: gone, target: ben }), 'deleted user invited Ben')
  assert.equal(told('member.role_changed', { actor: ben, target: gone }), 'Ben changed the role of deleted user')
})

test('two deleted users have different names', () => {
  const [one, other] = ['0c2f7a', '9e41d3'].map((id) => standIn({ type: 'deleted_user', id, name: null }, false))
  assert.equal(one, 'deleted user …2f7a')
  assert.notEqual(one, other)
})

test('a name that looks like a placeholder stays a name', () => {
  const lookalike = { type: 'user', id: 'user_lookalike', name: '{{target}} $t(audit.kind)' } as const
  assert.equal(told('member.removed', { actor: lookalike, target: ben }), '{{target}} $t(audit.kind) removed Ben')
})

test('every field that somebody can change has a word', () => {
  const fields = Object.values<Json>(openapi.paths).flatMap(({ patch }) =>
    Object.keys(patch?.requestBody.content['application/json'].schema.properties ?? {}),
  )
  const unnamed = new Set(fields.filter((field) => !i18next.exists(`audit.fields.${field}`)))
  // Passwords and secrets are not recorded, grants by what was added, changed and removed, and a place in the feed by its sequence.
  assert.deepEqual([...unnamed].sort(), ['after', 'clientSecret', 'currentPassword', 'from'])
})
