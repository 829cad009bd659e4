/** Steps on organizations, memberships and invitations, for the model and for the service. */
import type { Choice } from './choices.ts'
import * as invitations from './invitations.ts'
import * as memberships from './memberships.ts'
import { limits, type Population } from './population.ts'
import * as service from './service.ts'
import { clientOf, invitationToken, membershipOf, pathOf, type Service, userIdOf } from './service.ts'
import type { Step } from './steps.ts'

const hasInvitations = ({ invitations }: Population) => invitations.length > 0

type Act = Step<Population, Service, Choice>

export const onMembers: readonly Act[] = [
  {
    tell: ({ by }) => `${by} creates an organization`,
    foresee: (model, { by }) => memberships.create(model, by),
    send: (real, { by }) => service.create(real, by),
    isPossible: ({ organizations }) => organizations.length <= limits.organizations,
  },
  {
    tell: ({ by, name, at, role }) => `${by} makes ${name} ${role} in ${at}`,
    foresee: (model, choice) => memberships.changeRole(model, choice.by, choice.at, choice.name, choice.role),
    send: async (real, choice) =>
      clientOf(real, choice.by).patch(await memberPath(real, choice), { role: choice.role }),
  },
  {
    tell: ({ by, name, at }) => `${by} hands ${at} on to ${name}`,
    foresee: (model, choice) => memberships.transfer(model, choice.by, choice.at, choice.name),
    send: async (real, choice) =>
      clientOf(real, choice.by).post(`${pathOf(real, choice.at)}/transfer`, {
        memberId: await membershipOf(real, choice.at, choice.name),
      }),
  },
  {
    tell: ({ by, name, at }) => `${by} removes ${name} from ${at}`,
    foresee: (model, choice) => memberships.remove(model, choice.by, choice.at, choice.name),
    send: async (real, choice) => clientOf(real, choice.by).delete(await memberPath(real, choice)),
  },
  {
    tell: ({ by, at }) => `${by} leaves ${at}`,
    foresee: (model, { by, at }) => memberships.remove(model, by, at, by),
    send: (real, choice) => clientOf(real, choice.by).delete(`${pathOf(real, choice.at)}/members/me`),
  },
]

const invite: Act = {
  tell: ({ by, to, at, role }) => `${by} invites ${to} to ${at} as ${role}`,
  foresee: (model, choice) => invitations.invite(model, choice.by, choice.at, choice.to, choice.role),
  send: (real, choice) => service.invite(real, choice.by, choice.at, choice.to, choice.role),
}

const accept: Act = {
  tell: ({ addressee, number }) => `${addressee} accepts invitation ${number}`,
  foresee: (model, choice) => invitations.accept(model, choice.addressee, choice.number),
  send: (real, choice) => clientOf(real, choice.addressee).post(`${receivedPath(real, choice)}/accept`),
  isPossible: hasInvitations,
}

/** The other steps depend on these two. */
const often = [invite, invite, accept, accept, accept]

export const onInvitations: readonly Act[] = [
  ...often,
  {
    tell: ({ by, number }) => `${by} sends invitation ${number} again`,
    foresee: (model, choice) => invitations.resend(model, choice.by, choice.home, choice.number),
    send: (real, choice) => service.resend(real, choice.by, choice.home, choice.number),
    isPossible: hasInvitations,
  },
  {
    tell: ({ by, number }) => `${by} revokes invitation ${number}`,
    foresee: (model, choice) => invitations.revoke(model, choice.by, choice.home, choice.number),
    send: (real, choice) => clientOf(real, choice.by).delete(invitationPath(real, choice)),
    isPossible: hasInvitations,
  },
  {
    tell: ({ number }) => `invitation ${number} expires`,
    foresee: (model, choice) => invitations.expire(model, choice.number),
    send: (real, choice) => service.expire(real, choice.number),
    isPossible: (model, choice) => model.invitations[choice.number]?.status === 'pending',
  },
  {
    tell: ({ addressee, number }) => `${addressee} declines invitation ${number}`,
    foresee: (model, choice) => invitations.decline(model, choice.addressee, choice.number),
    send: (real, choice) => clientOf(real, choice.addressee).post(`${receivedPath(real, choice)}/decline`),
    isPossible: hasInvitations,
  },
  {
    tell: ({ number, isStale }) => `somebody looks at invitation ${number}, ${age(isStale)}`,
    foresee: (model, choice) => invitations.preview(model, choice.number, choice.isStale),
    send: (real, choice) =>
      real.world.nobody.post(`${receivedPath(real, choice)}/preview`, {
        token: invitationToken(real, choice.number, choice.isStale),
      }),
    isPossible: hasInvitations,
  },
]

/** Steps that add and remove people, and delete an organization. */
export const onPeople: readonly Act[] = [
  {
    tell: ({ by, at }) => `${by} deletes ${at}`,
    foresee: (model, choice) => memberships.deleteOrganization(model, choice.by, choice.at),
    send: (real, choice) =>
      clientOf(real, choice.by).delete(pathOf(real, choice.at), {
        confirm: real.organizations[choice.at]?.slug,
      }),
  },
  {
    tell: ({ addressee, number, isStale }) => `${addressee} signs up through invitation ${number}, ${age(isStale)}`,
    foresee: (model, choice) => invitations.signUp(model, choice.addressee, choice.number, choice.isStale),
    send: (real, choice) => service.signUp(real, choice.addressee, choice.number, choice.isStale),
    isPossible: hasInvitations,
  },
  {
    tell: ({ addressee, number, isStale }) => `${addressee} verifies by invitation ${number}, ${age(isStale)}`,
    foresee: (model, choice) => invitations.verifyByInvitation(model, choice.addressee, choice.number, choice.isStale),
    send: (real, choice) =>
      clientOf(real, choice.addressee).post('/api/auth/verify-email', {
        token: invitationToken(real, choice.number, choice.isStale),
      }),
    // Without a session the answer does not depend on the token.
    isPossible: (model, { addressee }) => hasInvitations(model) && model.people[addressee].status === 'active',
  },
  {
    tell: ({ by }) => `${by} verifies their address`,
    foresee: (model, { by }) => memberships.verify(model, by),
    send: (real, { by }) => service.verify(real, by),
    isPossible: (model, { by }) => model.people[by].status === 'active',
  },
  {
    tell: ({ by, to }) => `${by} changes their address to ${to}`,
    foresee: (model, { by, to }) => memberships.changeEmail(model, by, to),
    send: (real, { by, to }) => service.changeEmail(real, by, to),
    isPossible: (_, { by, to }) => to.startsWith(by),
  },
  {
    tell: ({ name }) => `${name} comes without an invitation`,
    foresee: (model, { name }) => memberships.arrive(model, name, false, true),
    send: (real, { name }) => service.arrive(real, name, false),
    isPossible: (model, { name }) => model.people[name].status === 'absent',
  },
  {
    tell: ({ name }) => `${name} is suspended`,
    foresee: (model, { name }) => memberships.suspend(model, name),
    send: (real, { name }) => real.admin.patch(`/api/admin/users/${userIdOf(real, name)}`, { status: 'suspended' }),
    isPossible: (model, { name }) => model.people[name].status === 'active',
  },
  ...[1, 2].map(() => ({
    tell: ({ name }: Choice) => `${name} is let in again`,
    foresee: (model: Population, { name }: Choice) => memberships.reactivate(model, name),
    send: (real: Service, { name }: Choice) => service.reactivate(real, name),
    isPossible: (model: Population, { name }: Choice) => model.people[name].status === 'suspended',
  })),
  {
    tell: ({ by }) => `${by} deletes their account`,
    foresee: (model, { by }) => memberships.deleteAccount(model, by),
    send: (real, { by }) => service.deleteAccount(real, by),
    isPossible: (model, { by }) => model.people[by].status === 'active',
  },
]

const age = (isStale: boolean) => (isStale ? 'by a link of before' : 'by its newest link')
const memberPath = async (real: Service, choice: Choice) =>
  `${pathOf(real, choice.at)}/members/${await membershipOf(real, choice.at, choice.name)}`
const receivedPath = (real: Service, choice: Choice) => `/api/invites/${real.invitations[choice.number]?.id}`
const invitationPath = (real: Service, choice: Choice) =>
  `${pathOf(real, choice.home)}/invites/${real.invitations[choice.number]?.id}`
