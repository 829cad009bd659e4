/**
 * Webhooks: where events of the tenant, or of an organization, are sent (Standard Webhooks 1.0.0). A webhook is a reader of the feed whose
 * place is kept: no copy of an event is made for it. delivery.ts sends, and webhook-states.ts makes, changes and ends webhooks.
 *
 * Invariant: a webhook sends only what the one whose it is may read: an organization's sends events of that organization alone.
 */
import { type Static, Type } from 'typebox'
import { type Statement, statement } from '../../platform/database/database.ts'
import type { Versioned } from '../../platform/http/preconditions.ts'
import { Id, inUtc, Name, Nullable, OneOf, ref, Timestamp } from '../../platform/http/schemas.ts'
import { isActionNamed } from '../record/entries.ts'
import { isWanted } from '../record/missed-events.ts'
import { isSecretLive } from '../secrets.ts'
import { isSending } from './schedule.ts'

export const webhookStatuses = ['active', 'failing', 'disabled'] as const
export type WebhookStatus = (typeof webhookStatuses)[number]

/** Why a webhook is disabled: a person has done it, it failed for days, or its endpoint answered 410. */
const disabledReasons = ['person', 'failures', 'gone'] as const

export const deliveryStatuses = ['delivered', 'retrying', 'failed'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Why an attempt failed. `address`: it may not be called. `status`: another answer than 2xx and 3xx. */
export const attemptErrors = [
  'dns',
  'address',
  'refused',
  'reset',
  'tls',
  'timeout',
  'redirect',
  'status',
  'too_large',
] as const

export const WebhookName = { ...Name, description: 'What the webhook is for.', examples: ['Billing'] }
export const WebhookUrl = Type.String({
  minLength: 1,
  maxLength: 2048,
  format: 'line',
  description: 'Where events are sent.',
  examples: ['https://billing.example.com/guildhall'],
})

/** An attempt to send something. */
const Attempt = Type.Object({
  at: Timestamp,
  status: Nullable(
    Type.Integer({ minimum: 100, maximum: 599, format: 'int32', description: 'Of the answer, if there was one.' }),
  ),
  error: Nullable(OneOf(attemptErrors, { description: 'Null: it was delivered, or it goes on.' })),
  milliseconds: Type.Integer({ minimum: 0, maximum: 600_000, format: 'int32', examples: [85] }),
})
export type Attempt = Static<typeof Attempt>

export type Webhook = Static<typeof Webhook>
export const Webhook = Type.Object(
  {
    id: Id('whk'),
    name: WebhookName,
    url: WebhookUrl,
    types: Type.Array(Type.String({ maxLength: 60, examples: ['member.*'] }), {
      maxItems: 100,
      description: 'Types and families of events that are sent. Empty: all.',
    }),
    organizationId: Nullable({ ...Id('org'), description: 'Whose it is. Null: the tenant’s.' }),
    status: OneOf(webhookStatuses, {
      description:
        '`failing`: several events in a row failed; one is tried now and then, and the first success makes it active. `disabled`: nothing is sent.',
    }),
    disabledBecause: Nullable(
      OneOf(disabledReasons, {
        description: 'A person has disabled it, it failed for five days, or its endpoint answered 410.',
      }),
    ),
    failingSince: Nullable(Timestamp),
    nextTrialAt: Nullable({
      ...Timestamp,
      description: 'While it is failing: when one event is tried next. Null if it is paused.',
    }),
    deliveredThrough: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      format: 'int64',
      description: 'Its place: the sequence up to which events were sent, or set aside to be tried again.',
      examples: [1_769_851_800_000_000],
    }),
    oldestUnsentAt: Nullable({
      ...Timestamp,
      description:
        'When the oldest event of its types came that was not delivered yet. If none of the 1,000 events after its place is of its types: when the event after these came.',
    }),
    missedUntil: Nullable({
      ...Timestamp,
      description: 'Up to when events were removed because of their age before they were sent.',
    }),
    urlSetBy: Nullable(
      Type.Object(
        {
          id: Id('user'),
          name: Nullable(Name),
          hasLostRight: Type.Boolean({ description: 'Whether they may no longer change the webhook.' }),
        },
        { description: 'Who set the URL. Null if their account is deleted.' },
      ),
    ),
    secrets: Type.Array(Type.Object({ createdAt: Timestamp, expiresAt: Nullable(Timestamp) }), {
      maxItems: 2,
      description: 'Those that sign, newest first.',
    }),
    lastTest: Nullable(Attempt),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Webhook', description: 'Where events of the tenant or of an organization are sent.' },
)

/** The answer of making a webhook and of rotating its secret. */
export const WebhookWithSecret = Type.Object(
  {
    webhook: ref(Webhook),
    secret: Type.String({
      maxLength: 60,
      description: 'Shown once. It signs what is sent (Standard Webhooks).',
      examples: ['whsec_…'],
    }),
  },
  { $id: 'WebhookWithSecret', description: 'A webhook and its new secret.' },
)

export type Delivery = Static<typeof Delivery>
export const Delivery = Type.Object(
  {
    sequence: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      format: 'int64',
      description: 'The place of the event in the feed.',
      examples: [1_769_851_800_000_000],
    }),
    eventId: Id('aud'),
    type: Type.String({ maxLength: 60, description: 'The type of the event.', examples: ['member.joined'] }),
    status: OneOf(deliveryStatuses, { description: '`failed`: it is not tried again by itself.' }),
    attempts: Type.Integer({ minimum: 1, maximum: 1_000_000, format: 'int32' }),
    lastAttempt: Attempt,
    nextAt: Nullable({
      ...Timestamp,
      description:
        'When it is tried again. While the webhook is failing, not before its next trial. Null while the webhook is disabled or paused.',
    }),
  },
  { $id: 'Delivery', description: 'An event that was sent by a webhook, or was to be.' },
)

/** A row that `selectWebhooks` selects. */
export type WebhookRow = Webhook & Versioned

/** A condition: which of `webhooks w` are the tenant's own. */
export const webhooksOfTenant = statement`w.organization_id is null`
/** The same for those of an organization. */
export const webhooksOfOrganization = (organizationId: Statement | string) =>
  statement`w.organization_id = ${organizationId}`

/** Of how many events after the place of a webhook the types are looked at: it may want none of half a million. */
const mostLooked = 1_000

/** Webhooks, of `webhooks w`; a condition on `w` and an order may follow. */
export function selectWebhooks(tenant: string): Statement {
  const next = (condition: Statement) => {
    const following = statement`
      select f.sequence, f.action from feed f
      where f.tenant_id = ${tenant} and f.sequence > w.place and ${condition}
      order by f.sequence`
    return statement`coalesce(
      (select looked.sequence from (${following} limit ${mostLooked}) looked
        where ${isWanted(statement`looked.action`)}
        order by looked.sequence
        limit 1),
      (select beyond.sequence from (${following} offset ${mostLooked} limit 1) beyond))`
  }
  // `case`, so that each of the two reads by an index.
  const oldest = statement`least(
    (select min(d.sequence) from webhook_deliveries d
      where d.tenant_id = ${tenant} and d.webhook_id = w.id and d.status = 'retrying'),
    case when w.organization_id is null then ${next(statement`true`)}
      else ${next(statement`f.organization_id = w.organization_id`)} end)`
  return statement`
    select w.id, w.name, w.url, w.types, w.organization_id, w.status, w.disabled_because, w.failing_since,
      (select w.next_at from tenants t where t.id = ${tenant} and ${isSending}) as next_trial_at,
      w.place as delivered_through, to_timestamp(${oldest} / 1000000.0)::timestamptz(3) as oldest_unsent_at, w.missed_until,
      (select json_build_object('id', u.id, 'name', u.name, 'hasLostRight', w.setter_left)
        from users u where u.tenant_id = ${tenant} and u.id = w.url_set_by) as url_set_by,
      (select coalesce(json_agg(json_build_object('createdAt', s.created_at, 'expiresAt', s.expires_at)
          order by s.created_at desc, s.id desc), '[]')
        from webhook_secrets s
        where s.tenant_id = ${tenant} and s.webhook_id = w.id and ${isSecretLive}) as secrets,
      w.last_test, w.created_at, w.updated_at, w.version
    from webhooks w
    where w.tenant_id = ${tenant}`
}

export function toWebhook({ secrets, ...row }: WebhookRow): WebhookRow {
  return {
    ...row,
    secrets: secrets.map(({ createdAt, expiresAt }) => ({
      createdAt: inUtc(createdAt),
      expiresAt: expiresAt && inUtc(expiresAt),
    })),
  }
}

/** Whether a change of a webhook’s types takes away one of them. A webhook without types sends all. */
export function isTakenAway(before: readonly string[], after: readonly string[], type: string): boolean {
  const has = (types: readonly string[]) => types.length === 0 || isActionNamed(types, type)
  return has(before) && !has(after)
}
