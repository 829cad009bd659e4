/** Organizations, memberships and invitations against a model: random steps, and everybody's view after each. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Answer, createWorld } from '../world.ts'
import { type Choice, choices, settle } from './choices.ts'
import * as invitations from './invitations.ts'
import * as memberships from './memberships.ts'
import { onInvitations, onMembers, onPeople } from './organization-steps.ts'
import * as population from './population.ts'
import { limits, names, type Population } from './population.ts'
import * as service from './service.ts'
import { clientOf, type Service } from './service.ts'
import { walk } from './steps.ts'

const world = await createWorld({
  settings: {
    MAX_ORGANIZATIONS: String(limits.organizations),
    MAX_PENDING_INVITES: String(limits.pendingInvitations),
  },
})
const admin = await world.tenantAdmin()

/**
 * Ann owns an organization, Ben is an admin of it and Cleo a member. Ann has invited Dan, whose address is unverified; Ben has invited Eve,
 * who has no account.
 */
async function begin(): Promise<{ model: Population; real: Service }> {
  const model = population.nobodyYet()
  const real = await service.openService(world, admin)
  const both = async (foreseen: { status: number }, answer: Promise<Answer>) =>
    assert.equal((await answer).status, foreseen.status)
  for (const name of ['ann', 'ben', 'cleo', 'dan'] as const)
    await both(memberships.arrive(model, name, name !== 'dan', true), service.arrive(real, name, name !== 'dan'))
  await both(memberships.create(model, 'ann'), service.create(real, 'ann'))
  const sent = [
    ['ann', 'ben', 'admin'],
    ['ann', 'cleo', 'member'],
    ['ann', 'dan', 'member'],
    ['ben', 'eve', 'member'],
  ] as const
  for (const [number, [by, name, role]] of sent.entries()) {
    await both(invitations.invite(model, by, 0, name, role), service.invite(real, by, 0, name, role))
    const path = `/api/invites/${real.invitations[number]?.id}/accept`
    if (number < 2) await both(invitations.accept(model, name, number), clientOf(real, name).post(path))
  }
  await compare(model, real, { at: 0, home: 0, by: 'ann' })
  return { model, real }
}

/** Everybody's view of their own data and of the organization in a step. */
async function compare(model: Population, real: Service, choice: Pick<Choice, 'at' | 'home' | 'by'>): Promise<void> {
  for (const place of new Set([choice.at, choice.home])) {
    const seen = await Promise.all(names.map((name) => service.seenBy(real, name, place)))
    assert.deepEqual(
      Object.fromEntries(names.map((name, index) => [name, seen[index]])),
      Object.fromEntries(names.map((name) => [name, population.seenBy(model, name, place)])),
    )
  }
  if (model.people[choice.by].status !== 'active') return
  assert.deepEqual(await service.impactOf(real, choice.by), memberships.impactOf(model, choice.by))
}

test('after any actions on organizations, memberships and invitations, answers and visible data are as the contract says', async () => {
  const steps = [...onMembers, ...onMembers, ...onInvitations, ...onInvitations, ...onPeople]
  await walk({ steps, start: fc.constant(undefined), choices, settle, runs: 6, most: 60, begin, compare })
})
