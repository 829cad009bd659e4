/** The service in the model's terms: people by name, organizations and invitations by number. */
import { randomBytes } from 'node:crypto'
import { makeMailedToken, type UserPurpose } from '../../src/domain/access/tokens.ts'
import { type Answer, type Client, type Json, Person, password, type World } from '../world.ts'
import type { Name, Role, Seen } from './population.ts'

export interface Service {
  readonly world: World
  readonly tenant: string
  /** Of the tenant. */
  readonly admin: Person
  /** Makes addresses from names, different ones for each walk. */
  readonly suffix: string
  readonly clients: Map<Name, Client>
  readonly addresses: Map<Name, string>
  /** By users' ids. */
  readonly names: Map<string, Name>
  /** In the order of creation. */
  readonly organizations: { readonly id: string; readonly slug: string }[]
  readonly invitations: { readonly id: string; readonly at: number; generation: number }[]
  /** A person's newest membership, by the number of the organization and the name. */
  readonly memberships: Map<string, string>
}

export async function openService(world: World, admin: Person): Promise<Service> {
  const { tenantId: tenant } = world
  return {
    ...{ world, tenant, admin, suffix: randomBytes(4).toString('hex') },
    ...{ clients: new Map(), addresses: new Map(), names: new Map(), memberships: new Map() },
    ...{ organizations: [], invitations: [] },
  }
}

export function clientOf({ world, clients }: Service, name: Name): Client {
  return clients.get(name) ?? world.nobody
}

/** By id and by slug in turn, because both name it. */
export function pathOf({ organizations }: Service, at: number): string {
  return `/api/organizations/${at % 2 ? organizations[at]?.slug : organizations[at]?.id}`
}

function addressOf({ suffix }: Service, label: string): string {
  return `${label}-${suffix}@example.com`
}

export function userIdOf({ names }: Service, wanted: Name): string {
  const [id = ''] = [...names].findLast(([, name]) => name === wanted) ?? []
  return id
}

/** The person's present or last membership; an unknown one for a person who was never a member. */
export async function membershipOf(service: Service, at: number, name: Name): Promise<string> {
  const { world, organizations, memberships } = service
  const [row] = await world.postgres.query<{ id: string }>(
    'select id from memberships where organization_id = $1 and user_id = $2',
    [organizations[at]?.id, userIdOf(service, name)],
  )
  const key = `${at}/${name}`
  if (row) memberships.set(key, row.id)
  return memberships.get(key) ?? 'mem_01k9zq3v5hf8gs4m2y7c6t0wdn'
}

/** @param isStale whether the token is from before a resend */
export function invitationToken({ world, tenant, invitations }: Service, number: number, isStale: boolean): string {
  const { id = '', generation = 0 } = invitations[number] ?? {}
  return makeMailedToken(world.keyring, 'invitation', { tenant, id, generation: generation - Number(isStale) })
}

/** The token of the newest link of a kind that was mailed to a person. */
export async function linkOf(
  { world, tenant }: Pick<Service, 'world' | 'tenant'>,
  purpose: UserPurpose,
  id: string,
): Promise<string> {
  const [row] = await world.postgres.query<{ generation: number }>(
    'select generation from mailed_tokens where user_id = $1 and purpose = $2',
    [id, purpose],
  )
  return makeMailedToken(world.keyring, purpose, { tenant, id, generation: row?.generation ?? 0 })
}

/** A person gets an account, as in all tests without HTTP, to avoid a hash. */
export async function arrive(service: Service, name: Name, verified: boolean): Promise<Answer> {
  const { world, clients, names, addresses } = service
  const person = await world.person(name, { verified, email: addressOf(service, name) })
  clients.set(name, person)
  names.set(person.id, name)
  addresses.set(name, name)
  return { status: 201, body: { user: { emailVerified: verified } }, headers: new Headers() }
}

/** With the person's present or future address. */
export async function signUp(service: Service, name: Name, number: number, isStale: boolean): Promise<Answer> {
  const email = addressOf(service, service.addresses.get(name) ?? name)
  const token = invitationToken(service, number, isStale)
  const { nobody } = service.world
  return letIn(service, name, await nobody.post('/api/auth/sign-up', { email, name, password, invitationToken: token }))
}

export async function reactivate(service: Service, name: Name): Promise<Answer> {
  const { body } = await service.admin.patch(`/api/admin/users/${userIdOf(service, name)}`, { status: 'active' })
  return letIn(service, name, await service.world.nobody.post('/api/auth/sign-in', { email: body.email, password }))
}

function letIn(service: Service, name: Name, answer: Answer): Answer {
  const { status, body } = answer
  if (status >= 300) return answer
  service.clients.set(name, new Person(service.world, body.session.token, body.user, {}))
  service.names.set(body.user.id, name)
  return answer
}

export async function verify(service: Service, by: Name): Promise<Answer> {
  const token = await linkOf(service, 'verify_email', userIdOf(service, by))
  return clientOf(service, by).post('/api/auth/verify-email', { token })
}

/** Requests another address, and opens the mailed link. */
export async function changeEmail(service: Service, by: Name, label: string): Promise<Answer> {
  const client = clientOf(service, by)
  const wanted = { email: addressOf(service, label), currentPassword: password }
  const asked = await client.patch('/api/users/me', wanted)
  if (asked.status !== 200 || asked.body.pendingEmail === null) return asked
  service.addresses.set(by, label)
  return client.post('/api/auth/verify-email', { token: await linkOf(service, 'change_email', asked.body.id) })
}

export async function deleteAccount(service: Service, by: Name): Promise<Answer> {
  const answer = await clientOf(service, by).delete('/api/users/me', { password })
  if (answer.status === 200) service.addresses.delete(by)
  return answer
}

export async function create(service: Service, by: Name): Promise<Answer> {
  const answer = await clientOf(service, by).post('/api/organizations', {
    name: `Acme ${service.organizations.length}`,
  })
  if (answer.status === 201) service.organizations.push(answer.body)
  return answer
}

export async function invite(service: Service, by: Name, at: number, label: string, role: Role): Promise<Answer> {
  const wanted = { email: addressOf(service, label), role }
  const answer = await clientOf(service, by).post(`${pathOf(service, at)}/invites`, wanted)
  if (answer.status === 201) service.invitations.push({ id: answer.body.id, at, generation: 1 })
  return answer
}

export async function resend(service: Service, by: Name, at: number, number: number): Promise<Answer> {
  const invitation = service.invitations[number]
  const answer = await clientOf(service, by).post(`${pathOf(service, at)}/invites/${invitation?.id}/resend`)
  if (answer.status === 200 && invitation) invitation.generation++
  return answer
}

/** Expires it by the database's clock. */
export async function expire({ world, invitations }: Service, number: number): Promise<Answer> {
  const past = `update invitations set expires_at = now() - interval '1 second' where id = $1`
  await world.postgres.query(past, [invitations[number]?.id])
  return { status: 200, body: {}, headers: new Headers() }
}

/** What a person sees, in the model's terms. */
export async function seenBy(service: Service, name: Name, at: number): Promise<Seen> {
  const client = clientOf(service, name)
  const path = pathOf(service, at)
  const first = await client.get('/api/organizations')
  if (first.status === 401) return 'unauthenticated'
  const paths = ['/api/users/me/invites', `${path}/members`, `${path}/invites`]
  const answers = [first, ...(await Promise.all(paths.map((each) => client.get(each))))]
  const [organizations, invited, members, invitations] = answers.map(({ body }) => body.data ?? body.code)
  const numbers = { organizations: service.organizations, invitations: service.invitations }
  const numberOf = (list: keyof typeof numbers, wanted: string) => numbers[list].findIndex(({ id }) => id === wanted)
  const nameOf = (person: { id: string } | null) => person && (service.names.get(person.id) as Name) // everybody has a name
  const labelOf = (email: string | null) => email?.replace(`-${service.suffix}@example.com`, '') ?? null
  return {
    organizations: organizations.map(({ id, role, roles, memberCount }: Json) => {
      return { organization: numberOf('organizations', id), role, roles, memberCount }
    }),
    invited: invited.map(({ id, role, invitedBy }: Json) => {
      return { invitation: numberOf('invitations', id), role, invitedBy: nameOf(invitedBy) }
    }),
    members: eachOf(members, ({ user, role, invitedBy }) => {
      return {
        person: nameOf(user),
        role,
        invitedBy: nameOf(invitedBy),
        status: user.status,
        email: labelOf(user.email),
      }
    }),
    invitations: eachOf(invitations, ({ id, email, role, status, invitedBy }) => {
      const invitation = numberOf('invitations', id)
      return { invitation, email: labelOf(email), role, status, invitedBy: nameOf(invitedBy) }
    }),
  }
}

/** Maps the items of a list; a refusal's code stays. */
function eachOf(list: Json, say: (item: Json) => Json): Json {
  return typeof list === 'string' ? list : list.map(say)
}

/** The impact of deleting the account, in the model's terms. */
export async function impactOf(service: Service, name: Name) {
  const { body } = await clientOf(service, name).get('/api/users/me/deletion-impact')
  const numbersOf = (organizations: Json[]) =>
    organizations.map((each) => service.organizations.findIndex(({ id }) => id === each.id)).sort()
  return {
    memberships: body.counts.memberships,
    sent: body.counts.invitationsSent,
    received: body.counts.invitationsReceived,
    deleted: numbersOf(body.deletedOrganizations),
    blocking: numbersOf(body.blockingOrganizations),
  }
}
