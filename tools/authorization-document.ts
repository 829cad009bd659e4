/** Generates docs/security/authorization.md: who may use which route, as the routes declare it. */
import type { RouteOptions } from 'fastify'
import { type Cap, caps } from '../src/domain/limits/caps.ts'
import { type Limit, limits } from '../src/domain/limits/limits.ts'
import { type Access, isOfOrganization, permissionOf, scopeOf } from '../src/domain/permissions/access.ts'
import { builtInPermissions, grantablePermissions, minimumRoleOf } from '../src/domain/permissions/permissions.ts'
import { roles, rolesOf } from '../src/domain/permissions/roles.ts'
import type { Config } from '../src/platform/settings/config.ts'
import { table } from './markdown.ts'

/** The parts of a schema that the document shows. */
interface Shape {
  readonly $ref?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
}

export function describeAuthorization(all: readonly RouteOptions[], config: Config): string {
  const routes = all.filter(({ method }) => method !== 'HEAD').toSorted((one, other) => (one.url < other.url ? -1 : 1))
  const ofApi = routes.filter(({ url }) => url.startsWith('/api/'))
  const others = routes.filter(({ url }) => !url.startsWith('/api/'))
  return `<!-- Generated from the routes by npm run docs. Do not edit. -->

# Who may do what

\`npm run docs\` generates this page from the routes, and a check of \`npm test\` fails if they differ. A route without \`config.access\` stops
the start (\`src/domain/access/authorization.ts\`), so there are no other routes. \`HEAD\` works like \`GET\`; every other method gets 405.
\`test/access.test.ts\` shows that each route behaves as its row says: it has a table of the status for each kind of caller and operation.

## Who there is

- **anyone**: no session is needed. Such a route gives access only for a password, or for a mailed, printed or local secret.
- **signed in**: a valid session of an active user. The route concerns the caller's own data.
- **tenant admin**: a signed-in user whose role in the tenant is \`admin\`, read in the same transaction as the work.
- **${roles.join(', ')}**: an active member of the organization in the path who has the permission: by this role or a higher one, or by a grant of a
  role of the product that contains it. Both are read in the same transaction. A member without the permission gets 403. For everybody who is
  no member, the organization does not exist (404). A suspended member gets 403 everywhere in it, but may leave.
- **keys**: a program uses a route with a [key](../build/keys.md) that has the scope in the row, or with any key if the row says *any*. Without a
  scope, the route is for sessions alone (403 \`insufficient_scope\`), which is so for each route that does not say otherwise. *signed in*
  stands for keys of people, *tenant admin* for keys of the tenant, and a role for keys of all kinds. A person's key may do no more than the person.
  \`test/key-access.test.ts\` tries each route with each kind of key.
- **applications**: an [access token](../build/applications.md) with the scope \`api\` uses the routes of a person's key, as the person, but
  those with a scope \`keys:…\`, \`webhooks:…\` or \`tokens:create\`. It changes no address, and none of what asks for a fresh proof. A
  token without \`api\` gets 403 \`insufficient_scope\` with \`api\` as \`scope\` there; on all other routes \`scope\` is null.
  \`test/application-access.test.ts\` tries each route.
- **key of the tenant**: only a key of the tenant with the scope in the row. A session gets 403 \`insufficient_scope\`.

${table(
  ['Permission', ...roles, 'Roles of the product may contain it'],
  builtInPermissions.map(({ key, minimumRole }) => [
    `\`${key}\``,
    ...roles.map((role) => (rolesOf(role).includes(minimumRole) ? '✓' : '')),
    (grantablePermissions as readonly string[]).includes(key) ? '✓' : '',
  ]),
)}

Further rules concern two people (\`src/domain/permissions/rules.ts\`). Nobody gives what they do not hold, or for longer than they hold it
(\`checkCover\`). Nobody changes or removes somebody who holds what they do not (\`checkTouch\`). What every member has needs no cover.
Constraints of the database ensure that an organization keeps an owner, and that memberships, pending invitations and addresses are unique. A lock of
the tenant ensures that it keeps an admin.

## The routes

${table(
  ['Method', 'Path', 'Who may', 'Permission', 'Scope of keys', 'Rates', 'Options'],
  ofApi.map((route) => [
    route.method.toString(),
    `\`${route.url}\``,
    whoMayUse(route),
    permissionsOf(accessOf(route)),
    scopesOf(route),
    ratesOf(route).join(', '),
    flagsOf(route).join(', '),
  ]),
)}

**Rates** names the policies as \`RateLimit-Policy\` does. Where it names \`requests\`, a request with a key counts in \`key\` or \`tenant-key\` instead. At
first, each token also counts for its network in \`unknown-session\` or \`unknown-key\`; this count is returned when the session or the key is found
(\`src/domain/limits/request-rates.ts\`). Where it names \`application\`, a request counts for its network in \`unknown-application\` until its application
is known; this measure refuses it only if the secret or the token is wrong. One without a secret then counts in \`anonymous\`. Each process counts
these for itself. All others are counted in the database, for all processes together, and survive restarts. \`guesses\` is the protection against
password guessing (\`src/domain/credentials/guessing.ts\`), which no setting turns off. A network is an IPv4 address or an IPv6 /64.

${table(
  ['Policy', 'Counts the requests of', 'Setting', 'Default'],
  Object.entries<Limit>(limits).map(([name, { whose, setting, rateOf }]) => [
    `\`${name}\``,
    whose,
    setting ? `\`${setting}\`` : '',
    `${rateOf(config).count} in ${rateOf(config).seconds} s`,
  ]),
)}

**Greatest numbers** do not depend on time (\`src/domain/limits/caps.ts\`). They hold for each person, member, organization, attempt, tenant or product.

${table(
  ['At most', 'Of what', 'Setting', 'One more'],
  Object.values<Cap>(caps).map((cap) => [
    `${'most' in cap ? cap.most : cap.mostOf(config)}`,
    cap.what,
    'setting' in cap ? `\`${cap.setting}\`` : '',
    cap.beyond,
  ]),
)}

**Options**: with \`If-Match\`, a change fails if somebody else has changed the resource meanwhile. With \`Idempotency-Key\`, it happens only once; the
table says if callers who may no longer do it still get the stored answer. A route that *starts a session* can set a cookie.
*fresh*: the session must have been signed in or confirmed within 600 seconds (\`confirmation_required\`). *without second factor*: the route is open
also to somebody of whom a policy requires a second factor that they have not proven; all others are closed to them (\`second_factor_required\`). A few
operations need a fresh session only for some changes: of a \`secondFactor\`, of \`mailCodes\`, of the URL of a webhook, those by which an admin of the
tenant gives a member more, and those that take a password if there is one.

## The fields

These are the only fields that a body may contain. Any other field is refused (\`unknown_field\`), so no other column can be written. Each answer is
serialized by its schema, so no other column can be read.

${table(
  ['Operation', 'Who may', 'Body', 'Answer'],
  ofApi.map((route) => [
    `\`${(route.schema as { operationId?: string } | undefined)?.operationId}\``,
    whoMayUse(route),
    fieldsOf(route.schema?.body as Shape | undefined),
    answerOf(route.schema?.response as Readonly<Record<string, Shape>> | undefined),
  ]),
)}

## Pages and health

These are open to anyone, by GET. Of a tenant's data, they show only its policy on pictures: ${others
    .map(({ url }) => url)
    .filter((url) => !url.startsWith('/t/') && !url.endsWith('/*'))
    .map((url) => `\`${url}\``)
    .join(', ')}. The console serves its page below each of its paths, and below \`/t/<slug>\` too.
`
}

function accessOf({ config }: RouteOptions): Access {
  return config?.access as Access // the service does not start if a route has none
}

function whoMayUse(route: RouteOptions): string {
  return whoMay(accessOf(route))
}

function whoMay(access: Access): string {
  if (isOfOrganization(access)) {
    const [self, others] = [true, false].map((isSelf) => minimumRoleOf(permissionOf(access, isSelf)))
    return self === others ? `${self}` : `${others}; for oneself ${self}`
  }
  return {
    anyone: 'anyone',
    caller: 'any credential',
    user: 'signed in',
    tenant_admin: 'tenant admin',
    tenant_key: 'key of the tenant',
  }[access]
}

function permissionsOf(access: Access): string {
  if (typeof access === 'object') return `\`${access.others}\`; for oneself \`${access.self}\``
  return isOfOrganization(access) ? `\`${access}\`` : ''
}

function scopesOf({ config }: RouteOptions): string {
  const scope = scopeOf(config ?? {})
  if (scope === null || scope === 'any') return scope ?? ''
  return typeof scope === 'object' ? permissionsOf(scope) : `\`${scope}\``
}

/** @throws Error for a policy that is not in the list of limits */
function ratesOf({ url, config }: RouteOptions): string[] {
  const general = config?.isForApplications ? 'application' : config?.access === 'anyone' ? 'anonymous' : 'requests'
  const declared = [general, ...(config?.rates ?? [])]
  for (const policy of declared)
    if (!Object.hasOwn(limits, policy))
      throw new Error(`${url} counts "${policy}", which is not in the list of limits.`)
  return [...declared, ...(config?.problems?.includes('too_many_attempts') ? ['guesses'] : [])].map(
    (each) => `\`${each}\``,
  )
}

function flagsOf({ config }: RouteOptions): string[] {
  return [
    config?.takesIfMatch && '`If-Match`',
    config?.takesIdempotencyKey && '`Idempotency-Key`',
    config?.replayAccess && `a stored answer also for: ${whoMay(config.replayAccess)}`,
    config?.startsSession && 'starts a session',
    config?.readsDevice && 'reads the device',
    config?.proof === 'fresh' && 'fresh',
    config?.withoutSecondFactor && 'without second factor',
    config?.whileSuspended && 'also while the own membership is suspended',
  ].filter((flag) => typeof flag === 'string')
}

function fieldsOf(body: Shape | undefined): string {
  return Object.keys(body?.properties ?? {})
    .map((field) => `\`${field}\``)
    .join(', ')
}

/** The shape of a route's successful answer. */
function answerOf(responses: Readonly<Record<string, Shape>> = {}): string {
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  return answer ? shapeOf(answer) : ''
}

function shapeOf({ $ref, type, items, properties }: Shape): string {
  if ($ref) return `\`${$ref.replace(/#$/, '')}\``
  if (type === 'array' && items) return `${shapeOf(items)} …`
  if (type === 'object')
    return Object.entries(properties ?? {})
      .map(([name, shape]) => (shape.$ref || shape.items?.$ref ? `\`${name}\`: ${shapeOf(shape)}` : `\`${name}\``))
      .join(', ')
  return ''
}
