import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Act, actsIn } from './acts.ts'
import type { Entry } from './sentences.ts'

let count = 0

function entry(action: Entry['action'], requestId: string | null, details: Entry['details'] = null): Entry {
  const nobody = { type: 'system', id: null, name: null } as const
  const empty = { via: null, application: null, organizationId: null, ip: null, device: null, details }
  const occurredAt = '2026-01-31T09:30:00.000Z'
  return { ...empty, id: `aud_${count++}`, occurredAt, actor: nobody, target: nobody as never, action, requestId } // of no interest
}

const told = (acts: readonly Act[]) => acts.map(({ entry, others }) => [entry, ...others].map(({ action }) => action))

test('the entries of a request are one act, and those without a request are one each', () => {
  const entries = [
    entry('session.revoked', null),
    entry('session.revoked', null),
    entry('member.joined', 'two'),
    entry('invitation.accepted', 'two'),
    entry('link.ended', 'one'),
    entry('invitation.revoked', 'one'),
    entry('member.removed', 'one'),
  ]
  assert.deepEqual(told(actsIn(entries, false)), [
    ['session.revoked'],
    ['session.revoked'],
    ['member.joined', 'invitation.accepted'],
    ['member.removed', 'invitation.revoked', 'link.ended'],
  ])
})

test('an acceptance is not shown beside the joining, whose sentence says it', () => {
  const entries = [
    entry('member.joined', 'two', { via: 'invitation' }),
    entry('invitation.accepted', 'two'),
    entry('email.verified', 'two'),
    entry('invitation.accepted', 'one'),
  ]
  assert.deepEqual(told(actsIn(entries, false)), [['member.joined', 'email.verified'], ['invitation.accepted']])
})

test('several of the same are as many acts, each with what came of it', () => {
  const entries = [
    entry('invitation.revoked', 'one'),
    entry('member.removed', 'one'),
    entry('link.ended', 'one'),
    entry('member.removed', 'one'),
  ]
  assert.deepEqual(told(actsIn(entries, false)), [
    ['member.removed', 'invitation.revoked'],
    ['member.removed', 'link.ended'],
  ])
})

test('the last act of a page is shown with the next page, since it may lack a part; if it is the only one, it is shown', () => {
  const [first, ...rest] = [
    entry('profile.updated', 'two'),
    entry('session.revoked', 'one'),
    entry('password.reset', 'one'),
  ] as const
  assert.deepEqual(told(actsIn([first, rest[0]], true)), [['profile.updated']])
  assert.deepEqual(told(actsIn([first, ...rest], false)), [['profile.updated'], ['password.reset', 'session.revoked']])
  assert.deepEqual(told(actsIn([rest[0]], true)), [['session.revoked']])
})
