/**
 * Mails about keys: a new one, one whose holder has left, and one that ends soon.
 *
 * They go to the people of a key: its person, the owners of its organization, or the tenant’s admins. None names who made or held it: who
 * deletes their account is then in no mail that is kept.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import { type Sql, type Statement, statement } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import type { OwnerType } from '../permissions/scopes.ts'
import {
  type DeviceWords,
  type JobOf,
  type MailKinds,
  type MailTenant,
  moment,
  type Ready,
  ready,
  tenantColumns,
  whereAndWhen,
} from './composition.ts'
import type { KeyMail } from './queue.ts'
import { mailAll, mostRead } from './readers.ts'
import { type Brand, type Composed, compose, inert } from './templates.ts'

/** A person of a key. */
interface Reader {
  readonly keyId: string
  readonly ownerType: OwnerType
  readonly organizationId: string | null
  readonly userId: string
  readonly email: string
}

/** The people of `api_keys k`, as `r`. */
function readersOf(tenant: string): Statement {
  return statement`(
    select k.user_id where k.owner_type = 'user'
    union all
    select m.user_id from memberships m
    where k.owner_type = 'organization' and m.tenant_id = ${tenant} and m.organization_id = k.organization_id and m.role = 'owner'
    union all
    select a.id from users a where k.owner_type = 'tenant' and a.tenant_id = ${tenant} and a.role = 'admin') r`
}

/**
 * Finds people of keys; notices go to verified addresses only.
 *
 * @param last after whom to read on
 */
function findReaders(sql: Sql, keyIds: readonly string[], last: Reader | undefined): Promise<Reader[]> {
  return sql<Reader>`
    select k.id as key_id, k.owner_type, case when k.owner_type = 'organization' then k.organization_id end as organization_id,
      u.id as user_id, u.email
    from api_keys k
    cross join lateral ${readersOf(sql.tenant)}
    join users u on u.tenant_id = ${sql.tenant} and u.id = r.user_id and u.status = 'active' and u.email_verified
    where k.tenant_id = ${sql.tenant} and k.id = any(${keyIds})
      and (k.id, u.id) > (${last?.keyId ?? ''}, ${last?.userId ?? ''})
    order by k.id, u.id
    limit ${mostRead}`
}

/** Who makes a key, and where. */
interface Maker {
  readonly userId: string
  readonly device: string | null
  readonly ip: string | null
}

/**
 * Mails the people of a key that was just made. The address of each is sealed, as in other warnings: a thief of the account may change it
 * before the mail is sent.
 *
 * @param by absent: the operator
 */
export async function tellOfNewKey(
  sql: Sql,
  { keyring }: Pick<RequestContext, 'keyring'>,
  keyId: string,
  by?: Maker,
): Promise<void> {
  await mailAll<Reader>(
    sql,
    (last) => findReaders(sql, [keyId], last),
    (readers) =>
      readers.map(({ ownerType, organizationId, userId, email }) => {
        const isOwn = ownerType === 'user' && by?.userId === userId && by.device !== null
        const seen = isOwn ? { device: by.device, ip: by.ip, at: new Date().toISOString() } : undefined
        const sealed = keyring.seal('job', JSON.stringify({ email, seen }), sql.tenant)
        return { kind: 'key_made', keyId, userId, sealed, ...(organizationId !== null && { organizationId }) }
      }),
  )
}

/** Mails the people of keys whose holder has lost the right to them, or which end soon. */
export async function tellOfKeys(
  sql: Sql,
  kind: 'key_holder_left' | 'key_ending',
  keyIds: readonly string[],
): Promise<void> {
  if (keyIds.length === 0) return
  await mailAll<Reader>(
    sql,
    (last) => findReaders(sql, keyIds, last),
    (readers) =>
      readers.map(({ keyId, organizationId, userId }) => ({
        kind,
        keyId,
        userId,
        ...(organizationId !== null && { organizationId }),
      })),
  )
}

async function composeNotice(sql: Sql, keyring: Keyring, job: JobOf<KeyMail>): Promise<Ready | undefined> {
  const { kind, keyId, userId } = job
  const [row] = await sql<MailTenant & Noticed>`
    select u.email, k.name, k.owner_type, o.id as organization_id, o.name as organization, k.expires_at,
      k.ended_at is null and (k.expires_at is null or k.expires_at > now()) as is_live, k.holder_left_at is not null as is_left,
      k.ended_because,
      ${tenantColumns}
    from api_keys k
    cross join lateral ${readersOf(sql.tenant)}
    join users u on u.tenant_id = ${sql.tenant} and u.id = r.user_id and u.status = 'active' and u.email_verified
    left join organizations o on o.tenant_id = ${sql.tenant} and o.id = k.organization_id and k.owner_type = 'organization'
    join tenants t on t.id = ${sql.tenant}
    where k.tenant_id = ${sql.tenant} and k.id = ${keyId} and u.id = ${userId}
    for key share of k, u`
  if (!row) return undefined
  const about = { kind, userId, ...(row.organizationId !== null && { organizationId: row.organizationId }) }
  const owned = { name: row.name, ownerType: row.ownerType, organization: row.organization }
  if (job.kind === 'key_made') {
    const text = keyring.open('job', job.sealed, sql.tenant)
    if (text === undefined) return undefined // sealed under a secret that was since taken away
    const { email, seen } = JSON.parse(text) as { email: string; seen?: DeviceWords } // sealed by us
    return ready(row, email, (brand) => keyMade(brand, owned, seen), about)
  }
  const { expiresAt, isLive, isLeft, endedBecause } = row
  const isOver = endedBecause === 'holder_left'
  if (expiresAt === null || !(isLive || isOver)) return undefined
  const ending = { ...owned, endsAt: expiresAt, isOver }
  if (kind === 'key_holder_left')
    return isLeft ? ready(row, row.email, (brand) => keyHolderLeft(brand, ending), about) : undefined // rotated meanwhile
  return isOver ? undefined : ready(row, row.email, (brand) => keyEnding(brand, ending), about)
}

interface Noticed extends OwnedKey {
  readonly email: string
  readonly organizationId: string | null
  readonly expiresAt: string | null
  readonly isLive: boolean
  /** Whether its holder has lost the right to it, and nobody has rotated it since. */
  readonly isLeft: boolean
  readonly endedBecause: string | null
}

export interface OwnedKey {
  readonly name: string
  readonly ownerType: OwnerType
  /** The name of the organization that owns it. */
  readonly organization: string | null
}

/** Whose key it is, in the middle of a sentence. */
function whose(brand: Brand, { ownerType, organization }: OwnedKey): string {
  if (ownerType === 'user') return `your account at ${inert(brand.name)}`
  return ownerType === 'organization' ? `${inert(organization ?? '')} on ${inert(brand.name)}` : inert(brand.name)
}

/** The name of whose key it is, short enough for a subject. */
function shortPlace(brand: Brand, { organization }: OwnedKey): string {
  return inert(organization ?? brand.name, 60)
}

/** @param seen where its person made it */
export function keyMade(brand: Brand, key: OwnedKey, seen?: DeviceWords): Composed {
  const what: Readonly<Record<OwnerType, string>> = {
    user: 'A program that has it can do in your name what the key allows, without your password.',
    organization: 'A program that has it can do what the key allows in the organization.',
    tenant: 'A program that has it can do what the key allows in all organizations.',
  }
  const wayOut: Readonly<Record<OwnerType, string>> = {
    user: 'If it was you, there is nothing to do. If not, reset your password. That ends the key, too.',
    organization: 'You get this email because you are an owner. If you did not expect this, end the key.',
    tenant: 'You get this email because you are an admin. If you did not expect this, end the key.',
  }
  const where = seen ? `: ${whereAndWhen(seen)}` : ''
  return compose(brand, {
    subject: `A new key for ${shortPlace(brand, key)}`,
    title: 'A key was created',
    paragraphs: [`The key “${inert(key.name)}” was created for ${whose(brand, key)}${where}. ${what[key.ownerType]}`],
    note: wayOut[key.ownerType],
  })
}

export interface EndingKey extends OwnedKey {
  /** RFC 3339. */
  readonly endsAt: string
  /** Whether it has ended already: the tenant gives such a key no time. */
  readonly isOver: boolean
}

export function keyEnding(brand: Brand, key: Omit<EndingKey, 'isOver'>): Composed {
  return compose(brand, {
    subject: `A key for ${shortPlace(brand, key)} ends soon`,
    title: 'A key ends soon',
    paragraphs: [
      `The key “${inert(key.name)}” of ${whose(brand, key)} ends on ${moment(key.endsAt)}. From then on, requests with it are refused.`,
    ],
    note: 'If a program still needs it, make a new key, and give it to the program before that.',
  })
}

export function keyHolderLeft(brand: Brand, key: EndingKey): Composed {
  const name = inert(key.name)
  const why =
    'The person who knows its secret has left, no longer has the rights that it gives, or took back a change of their address.'
  return compose(brand, {
    subject: `A key for ${shortPlace(brand, key)} ${key.isOver ? 'has ended' : 'will end'}`,
    title: key.isOver ? 'A key has ended' : 'A key will end',
    paragraphs: [
      key.isOver
        ? `The key “${name}” of ${whose(brand, key)} has ended, and requests with it are refused. ${why}`
        : `The key “${name}” of ${whose(brand, key)} ends on ${moment(key.endsAt)}. ${why}`,
    ],
    note: key.isOver
      ? 'If a program still needs it, make a new key, and give it to the program.'
      : 'If a program still needs it, rotate the key before that, and give the new secret to the program. The key then ends when it was meant to.',
  })
}

export const keyMails: MailKinds<'key_made' | 'key_ending' | 'key_holder_left'> = {
  key_made: { compose: composeNotice },
  key_ending: { compose: composeNotice },
  key_holder_left: { compose: composeNotice },
}
