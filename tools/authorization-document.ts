/** docs/security/authorization.md: who may use which route, as the routes say it themselves. */
import type { RouteOptions } from 'fastify'
import { type Limit, limits } from '../src/domain/limits/limits.ts'
import { type Access, isPermission, permissions, roles, rolesOf } from '../src/domain/permissions/roles.ts'
import type { Config } from '../src/platform/settings/config.ts'
import { table } from './markdown.ts'

/** A schema, as far as it is told here. */
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
  return `# Who may do what

Made from the routes by \`npm run docs\`; a check of \`npm test\` refuses it when it is not what they say. A route without an entry
in \`config.access\` stops the boot (\`src/domain/access/authorization.ts\`), so there is none beside these. \`HEAD\` is answered as \`GET\`, and
every other method with 405. That each route keeps to its row is shown by \`test/access.test.ts\`, one table of who gets which status
on which operation.

## Who there is

- **anyone**: no session is needed. What such a route opens depends on a password or on a mailed, printed or local secret.
- **signed in**: a session that lives, of a user who is active. The route is about the caller's own things.
- **tenant admin**: a signed-in user whose role in the tenant is \`admin\`, read in the same transaction as the work.
- **${roles.join(', ')}**: the least role in the organization of the path that has the permission, read in the same transaction. For
  everybody else the organization does not exist (404).

${table(
  ['Role in an organization', 'Counts as', 'Permissions that it adds'],
  roles.map((role) => [
    role,
    rolesOf(role).join(', '),
    Object.entries(permissions)
      .filter(([, least]) => least === role)
      .map(([permission]) => `\`${permission}\``)
      .join(', '),
  ]),
)}

Beyond the role, rules between two people (\`src/domain/permissions/roles.ts\`): nobody changes the role of somebody above them or grants a role
above their own (\`mayChangeRole\`), removes somebody above them (\`mayRemove\`), or invites into a role above their own (\`mayInvite\`).
Constraints of the database keep the last owner of an organization and one membership, pending invitation and address each; a lock of
the tenant keeps its last admin.

## The routes

${table(
  ['Method', 'Path', 'Who may', 'Permission', 'Counted by', 'Besides'],
  ofApi.map((route) => [
    route.method.toString(),
    `\`${route.url}\``,
    whoMay(accessOf(route)),
    isPermission(accessOf(route)) ? `\`${accessOf(route)}\`` : '',
    ratesOf(route).join(', '),
    flagsOf(route).join(', '),
  ]),
)}

**Counted by** names the policies as \`RateLimit-Policy\` does. \`anonymous\`, \`requests\` and \`unknown-session\` are counted in each
process, all others in the database, for all processes together and over restarts. Where \`requests\` is counted, a token counts for its
network by \`unknown-session\` too until its session is found, and is given back then (\`src/domain/limits/request-rates.ts\`). \`guesses\` is
the rule about wrong passwords (\`src/domain/credentials/guessing.ts\`), which nothing turns off. A network is an IPv4 address or an IPv6 /64.

${table(
  ['Policy', 'Whose requests', 'Setting', 'Its default'],
  Object.entries<Limit>(limits).map(([name, { whose, setting, rateOf }]) => [
    `\`${name}\``,
    whose,
    `\`${setting}\``,
    `${rateOf(config).count} in ${rateOf(config).seconds} s`,
  ]),
)}

**Besides**: \`If-Match\` makes a change conditional on what its sender has seen; \`Idempotency-Key\` makes it happen once, and where a
stored answer is given to more than may do it anew, that is said; \`starts a session\` may be asked for a cookie.

## The fields

What each body may hold: every other field is refused (\`unknown_field\`), so nothing else of a row can be written. What each answer
holds is serialized from its schema, so nothing else of a row can be read.

${table(
  ['Operation', 'Who may', 'Takes', 'Answers'],
  ofApi.map((route) => [
    `\`${(route.schema as { operationId?: string } | undefined)?.operationId}\``,
    whoMay(accessOf(route)),
    fieldsOf(route.schema?.body as Shape | undefined),
    answerOf(route.schema?.response as Readonly<Record<string, Shape>> | undefined),
  ]),
)}

## Pages and health

For anyone, by GET, without any data of a tenant but its policy on pictures: ${others
    .map(({ url }) => url)
    .filter((url) => !url.startsWith('/t/') && !url.endsWith('/*'))
    .map((url) => `\`${url}\``)
    .join(', ')}. The paths of the console lead to its page below themselves and below \`/t/<slug>\` too.
`
}

function accessOf({ config }: RouteOptions): Access {
  return config?.access as Access // a route without one stops the boot
}

function whoMay(access: Access): string {
  if (isPermission(access)) return permissions[access]
  return { anyone: 'anyone', user: 'signed in', tenant_admin: 'tenant admin' }[access]
}

/** @throws Error for one that is not in the list of limits */
function ratesOf({ url, config }: RouteOptions): string[] {
  const declared = [config?.access === 'anyone' ? 'anonymous' : 'requests', ...(config?.rates ?? [])]
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
  ].filter((flag) => typeof flag === 'string')
}

function fieldsOf(body: Shape | undefined): string {
  return Object.keys(body?.properties ?? {})
    .map((field) => `\`${field}\``)
    .join(', ')
}

/** The shape of what a route answers when all is well. */
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
