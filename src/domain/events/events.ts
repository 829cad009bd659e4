/**
 * Events: each entry of the audit log is also an event, with an exact place in the feed of its tenant. Here are its shape and the list of
 * types; feed.ts reads the feed, and resources.ts what the events are about.
 *
 * Invariant: an event contains no IP address, no device and no secret.
 */
import { type TProperties, type TSchema, Type } from 'typebox'
import { Id, Name, Nullable, OneOf, ref, Timestamp } from '../../platform/http/schemas.ts'
import { Application } from '../applications/applications.ts'
import { providerTypes } from '../credentials/identities.ts'
import { Key } from '../keys/keys.ts'
import { caps } from '../limits/caps.ts'
import { Invitation } from '../organizations/invitations.ts'
import { Link } from '../organizations/links.ts'
import { Member } from '../organizations/members.ts'
import { Organization } from '../organizations/organizations.ts'
import { User } from '../people/users.ts'
import { PermissionKey, RoleKey } from '../permissions/access-model.ts'
import { type Action, actions } from '../record/actions.ts'
import { actorTypes, SpokenId } from '../record/entries.ts'
import { Webhook } from '../webhooks/webhooks.ts'

/** What the `data` of an event contains. */
export type Kind = (typeof kinds)[number]['kind']

export const EventOrganization = shape(
  'EventOrganization',
  'An organization, as events show it.',
  Type.Omit(Organization, ['role', 'roles', 'membership', 'permissions', 'externalId']),
)
export const EventMember = shape(
  'EventMember',
  'A membership, as events show it: `lastActiveAt` and `user.hasSecondFactor` are null.',
  Type.Omit(Member, ['invitedBy']),
)
export const EventLink = shape(
  'EventLink',
  'A link to join, as events show it: without its URL.',
  Type.Omit(Link, ['url']),
)
export const EventKey = shape('EventKey', 'A key, as events show it.', Type.Omit(Key, ['holder']))
export const EventApplication = shape(
  'EventApplication',
  'An application, as events show it.',
  Type.Omit(Application, ['secrets']),
)
export const EventProvider = shape(
  'EventProvider',
  'A sign-in provider, as events show it.',
  Type.Object({ id: Id('idp'), type: OneOf(providerTypes), name: Name, enabled: Type.Boolean() }),
)
export const NamedOrganization = Type.Pick(Organization, ['id', 'slug', 'name'])

/** Of a resource that is gone for good, or that is not shown. */
const IdOf = (prefix: Parameters<typeof Id>[0]) => Nullable(Type.Object({ id: Id(prefix) }))

/** The kinds of events, each with the name of its schema and the fields of its `data`. A resource that is gone is null. */
const kinds = [
  { kind: 'user', name: 'UserEvent', data: { user: Nullable(ref(User)) } },
  { kind: 'userId', name: 'UserIdEvent', data: { user: IdOf('user') } },
  {
    kind: 'session',
    name: 'SessionEvent',
    data: {
      session: Nullable(
        Type.Object({
          id: Nullable({ ...Id('dev'), description: 'Null: several sessions at once, or none.' }),
          userId: Id('user'),
        }),
      ),
    },
  },
  {
    kind: 'newOrganization',
    name: 'OrganizationCreatedEvent',
    data: { organization: Nullable(ref(EventOrganization)), member: Nullable(ref(EventMember)) },
  },
  { kind: 'organization', name: 'OrganizationEvent', data: { organization: Nullable(ref(EventOrganization)) } },
  {
    kind: 'owners',
    name: 'OwnershipEvent',
    data: {
      organization: Nullable(ref(EventOrganization)),
      members: Type.Array(ref(EventMember), {
        maxItems: 2,
        description: 'The new owner and the former one, as far as they are still members.',
      }),
    },
  },
  { kind: 'organizationId', name: 'OrganizationDeletedEvent', data: { organization: IdOf('org') } },
  {
    kind: 'member',
    name: 'MemberEvent',
    data: {
      organization: Nullable(NamedOrganization),
      member: Nullable(ref(EventMember)),
    },
  },
  {
    kind: 'formerMember',
    name: 'FormerMemberEvent',
    data: {
      member: Nullable(
        Type.Object({
          id: Nullable({ ...Id('mem'), description: 'Null after the account was deleted.' }),
          userId: Id('user'),
        }),
      ),
    },
  },
  { kind: 'invitation', name: 'InvitationEvent', data: { invitation: Nullable(ref(Invitation)) } },
  { kind: 'link', name: 'LinkEvent', data: { link: Nullable(ref(EventLink)) } },
  { kind: 'key', name: 'KeyEvent', data: { key: Nullable(ref(EventKey)) } },
  {
    kind: 'access',
    name: 'AccessEvent',
    data: {
      roles: Type.Array(RoleKey, { maxItems: caps.roles.most, description: 'The keys of the product’s roles.' }),
      permissions: Type.Array(PermissionKey, {
        maxItems: caps.permissions.most,
        description: 'The keys of the product’s permissions.',
      }),
    },
  },
  { kind: 'provider', name: 'ProviderEvent', data: { provider: Nullable(ref(EventProvider)) } },
  { kind: 'providerId', name: 'ProviderDeletedEvent', data: { provider: IdOf('idp') } },
  { kind: 'application', name: 'ApplicationEvent', data: { application: Nullable(ref(EventApplication)) } },
  { kind: 'applicationId', name: 'ApplicationDeletedEvent', data: { application: IdOf('app') } },
  { kind: 'webhook', name: 'WebhookEvent', data: { webhook: Nullable(ref(Webhook)) } },
  { kind: 'webhookId', name: 'WebhookDeletedEvent', data: { webhook: IdOf('whk') } },
  { kind: 'grant', name: 'ApplicationUserEvent', data: { application: IdOf('app'), user: IdOf('user') } },
  { kind: 'tenant', name: 'TenantEvent', data: {} },
] as const satisfies readonly { readonly kind: string; readonly name: string; readonly data: TProperties }[]

type FamilyOf<Each extends string> = Each extends `${infer Family}.${string}` ? Family : never

/** The kind of each family; `ofType` has those of single types that differ. */
const ofFamily: Readonly<Record<FamilyOf<Action>, Kind>> = {
  user: 'user',
  profile: 'user',
  email: 'user',
  factor: 'user',
  factors: 'user',
  recovery_codes: 'user',
  recovery_code: 'user',
  identity: 'user',
  password: 'userId',
  session: 'session',
  organization: 'organization',
  member: 'member',
  invitation: 'invitation',
  link: 'link',
  key: 'key',
  access: 'access',
  provider: 'provider',
  application: 'application',
  webhook: 'webhook',
  tenant: 'tenant',
}
const ofType: Readonly<Partial<Record<Action, Kind>>> = {
  'user.deleted': 'userId',
  'organization.created': 'newOrganization',
  'organization.ownership_transferred': 'owners',
  'organization.deleted': 'organizationId',
  'member.removed': 'formerMember',
  'member.left': 'formerMember',
  'member.expired': 'formerMember',
  'provider.deleted': 'providerId',
  'application.deleted': 'applicationId',
  'webhook.deleted': 'webhookId',
  'application.signed_in': 'grant',
  'application.token_reused': 'grant',
}

export function kindOf(type: Action): Kind {
  return ofType[type] ?? ofFamily[type.split('.')[0] as FamilyOf<Action>] // each action has a family
}

export interface Event {
  readonly id: string
  readonly type: Action
  readonly timestamp: string
  readonly sequence: number
  readonly tenantId: string
  readonly organizationId: string | null
  readonly actor: {
    readonly type: (typeof actorTypes)[number]
    readonly id: string | null
    readonly via: string | null
  }
  readonly details: Readonly<Record<string, unknown>> | null
  readonly data: Readonly<Record<string, unknown>>
}

export const Sequence = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  format: 'int64',
  description: 'A place in the feed of the tenant. What comes later has a greater one.',
  examples: [1_769_851_800_000_000],
})

const EventActor = shape(
  'EventActor',
  'Who did it.',
  Type.Object({
    type: OneOf(actorTypes),
    id: SpokenId,
    via: Nullable(
      Type.String({
        maxLength: 30,
        description: 'The key of theirs, or the application, by which a person acted.',
        examples: ['key_01k9zq3v5hf8gs4m2y7c6t0wdn'],
      }),
    ),
  }),
)

/** One schema a kind. Types with the same data share it. */
const schemas = kinds.map(({ kind, name, data }) => {
  const types = actions.filter((action) => kindOf(action) === kind)
  return shape(
    name,
    `An event ${types.map((type) => `\`${type}\``).join(', ')}.`,
    Type.Object({
      id: Id('aud'),
      type: OneOf(types),
      timestamp: Timestamp,
      sequence: Sequence,
      tenantId: Id('ten'),
      organizationId: Nullable(Id('org')),
      actor: ref(EventActor),
      details: Nullable(
        Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          additionalProperties: true,
          description: 'Old and new values, as in the audit log.',
        }),
      ),
      data: Type.Object(data, { description: 'What the event is about, as it was when the event was read.' }),
    }),
  )
})

export const Event = Type.Unsafe<Event>({
  $id: 'Event',
  description: 'A change. Skip events whose `type` you do not know: later versions have more types.',
  anyOf: schemas.map(ref),
})

/** All schemas that `Event` consists of. */
export const eventSchemas: readonly TSchema[] = [
  EventOrganization,
  EventMember,
  EventLink,
  EventKey,
  EventApplication,
  EventProvider,
  EventActor,
  ...schemas,
  Event,
]

/** The name of the schema of each type. */
export const schemaOfType: ReadonlyMap<Action, string> = new Map(
  kinds.flatMap(({ kind, name }) => actions.filter((action) => kindOf(action) === kind).map((type) => [type, name])),
)

function shape<Schema extends TSchema>(name: string, description: string, schema: Schema): Schema {
  return { ...schema, $id: name, description }
}
