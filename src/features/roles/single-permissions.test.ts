/** Every route of an organization, tried with every permission alone: what docs/security/authorization.md says is what happens. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { offerKeys } from '../../../test/key-requests.ts'
import { aPicture } from '../../../test/pictures.ts'
import { root } from '../../../test/processes.ts'
import { offerWebhooks, requestWebhook, webhookUrl } from '../../../test/webhook-requests.ts'
import { createWorld } from '../../../test/world.ts'
import { builtInPermissions, grantablePermissions } from '../../domain/permissions/permissions.ts'

const world = await createWorld()
const tess = await world.tenantAdmin()
const keyOf = (permission: string) => permission.replace(':', '-')
const roles = grantablePermissions.map((each) => ({ key: keyOf(each), name: each, permissions: [each] }))
assert.equal((await tess.put('/api/admin/access', { permissions: [], roles })).status, 200)

await offerKeys(world)
await offerWebhooks(world)
/** Making or rotating it needs no cover: each member has its scope. */
const aKey = { name: 'Import', scopes: ['organization:read'] }

const place = '/api/organizations/:orgId'
const document = readFileSync(`${root}/docs/security/authorization.md`, 'utf8')
/** The permission of each route, by method and path. */
const needed = new Map<string, string>(
  [...document.matchAll(/^\| ([A-Z]+) \| `([^`]+)` \| [^|]+ \| `([^`]+)`(?:; for oneself `([^`]+)`)? \|/gm)].flatMap(
    ([, method, path = '', others = '', self]) => [
      [`${method} ${path}`, others] as const,
      ...(self === undefined ? [] : [[`${method} ${path} (oneself)`, self] as const]),
    ],
  ),
)

/** What is there for the requests. Each thing is taken away by one of them at most. */
interface Things {
  readonly slug: string
  readonly target: string
  readonly removable: string
  readonly invitation: string
  readonly revocable: string
  readonly link: string
  readonly endable: string
  readonly key: string
  readonly endableKey: string
  readonly webhook: string
  readonly endableWebhook: string
}

type Request = readonly [path: string, body?: object]

/** A valid request to each route, in an order in which none stands in the way of the next. */
const requests: Readonly<Record<string, (things: Things) => Request>> = {
  [`GET ${place}`]: () => [''],
  [`PATCH ${place}`]: () => ['', { name: 'Renamed' }],
  [`PUT ${place}/logo`]: () => ['/logo', aPicture],
  [`DELETE ${place}/logo`]: () => ['/logo'],
  [`GET ${place}/audit`]: () => ['/audit'],
  [`GET ${place}/events`]: () => ['/events'],
  [`GET ${place}/roles`]: () => ['/roles'],
  [`GET ${place}/check/:permission`]: () => ['/check/members:read'],
  [`GET ${place}/members`]: () => ['/members'],
  [`GET ${place}/members/:memberId`]: ({ target }) => [`/members/${target}`],
  [`PATCH ${place}/members/:memberId`]: ({ target }) => [`/members/${target}`, { status: 'suspended' }],
  [`DELETE ${place}/members/:memberId`]: ({ removable }) => [`/members/${removable}`],
  [`GET ${place}/invites`]: () => ['/invites'],
  [`POST ${place}/invites`]: () => ['/invites', { email: 'one@example.com' }],
  [`POST ${place}/invites/bulk`]: () => ['/invites/bulk', { invites: [{ email: 'two@example.com' }] }],
  [`GET ${place}/invites/:inviteId`]: ({ invitation }) => [`/invites/${invitation}`],
  [`POST ${place}/invites/:inviteId/resend`]: ({ invitation }) => [`/invites/${invitation}/resend`],
  [`DELETE ${place}/invites/:inviteId`]: ({ revocable }) => [`/invites/${revocable}`],
  [`GET ${place}/links`]: () => ['/links'],
  [`POST ${place}/links`]: () => ['/links', {}],
  [`GET ${place}/links/:linkId`]: ({ link }) => [`/links/${link}`],
  [`DELETE ${place}/links/:linkId`]: ({ endable }) => [`/links/${endable}`],
  [`GET ${place}/keys`]: () => ['/keys'],
  [`POST ${place}/keys`]: () => ['/keys', aKey],
  [`GET ${place}/keys/:keyId`]: ({ key }) => [`/keys/${key}`],
  [`PATCH ${place}/keys/:keyId`]: ({ key }) => [`/keys/${key}`, { name: 'Renamed' }],
  [`POST ${place}/keys/:keyId/rotate`]: ({ key }) => [`/keys/${key}/rotate`],
  [`DELETE ${place}/keys/:keyId`]: ({ endableKey }) => [`/keys/${endableKey}`],
  [`GET ${place}/webhooks`]: () => ['/webhooks'],
  [`POST ${place}/webhooks`]: () => ['/webhooks', { name: 'Mine', url: webhookUrl }],
  [`GET ${place}/webhooks/:webhookId`]: ({ webhook }) => [`/webhooks/${webhook}`],
  [`PATCH ${place}/webhooks/:webhookId`]: ({ webhook }) => [`/webhooks/${webhook}`, { name: 'Renamed' }],
  [`POST ${place}/webhooks/:webhookId/rotate`]: ({ webhook }) => [`/webhooks/${webhook}/rotate`],
  [`POST ${place}/webhooks/:webhookId/test`]: ({ webhook }) => [`/webhooks/${webhook}/test`],
  [`GET ${place}/webhooks/:webhookId/deliveries`]: ({ webhook }) => [`/webhooks/${webhook}/deliveries`],
  [`POST ${place}/webhooks/:webhookId/retry`]: ({ webhook }) => [`/webhooks/${webhook}/retry`, {}],
  [`DELETE ${place}/webhooks/:webhookId`]: ({ endableWebhook }) => [`/webhooks/${endableWebhook}`],
  [`POST ${place}/transfer`]: ({ target }) => ['/transfer', { memberId: target }],
  [`DELETE ${place}`]: ({ slug }) => ['', { confirm: slug }],
  [`DELETE ${place}/members/:memberId (oneself)`]: () => ['/members/me'],
}

/** What a permission is of no use without. */
const needsToo: Readonly<Record<string, string>> = { 'webhooks:write': 'events:read' }

const ofMembers: readonly string[] = builtInPermissions
  .filter(({ minimumRole }) => minimumRole === 'member')
  .map(({ key }) => key)

test('each route of an organization is tried here', () => {
  const routes = [...needed.keys()].filter((route) => route.includes(place) && !route.includes('/admin/'))
  assert.deepEqual(Object.keys(requests).sort(), routes.sort())
})

for (const permission of [undefined, ...grantablePermissions]) {
  test(`a plain member with ${permission ?? 'no permission'} beside their own may do that, and nothing else`, async () => {
    const { ann, ben, id, slug, path, members } = await world.organization()
    const holder = await world.person('Hal')
    const { id: held } = await world.join(ann, id, holder)
    const grants = permission === undefined ? [] : [{ role: keyOf(permission) }]
    assert.equal((await ann.patch(`${path}/members/${held}`, { grants })).status, 200)
    const { id: removable } = await world.join(ann, id, await world.person('Rex'))
    const invite = async (email: string): Promise<string> =>
      (await ben.post(`${path}/invites`, { email: `${email}@example.com` })).body.id
    const link = async (): Promise<string> => (await ben.post(`${path}/links`, {})).body.id
    const key = async (): Promise<string> => (await ann.post(`${path}/keys`, aKey)).body.key.id
    const webhook = async (): Promise<string> => (await requestWebhook(ann, `${path}/webhooks`)).webhook.id
    const things: Things = {
      slug,
      target: members.cleo.id,
      removable,
      invitation: await invite('three'),
      revocable: await invite('four'),
      link: await link(),
      endable: await link(),
      key: await key(),
      endableKey: await key(),
      webhook: await webhook(),
      endableWebhook: await webhook(),
    }

    const found: Record<string, string> = {}
    const expected: Record<string, string> = {}
    for (const [route, requestOf] of Object.entries(requests)) {
      const [to, body] = requestOf(things)
      const method = route.split(' ')[0] as string
      const { status, body: answer } = await holder.request(path + to, { method, body })
      found[route] = status < 300 ? 'done' : `${status} ${answer.code}`
      const needs = needed.get(route) as string // each route is listed
      const isHeld = [...ofMembers, permission].includes(needs) && needsToo[needs] === undefined
      expected[route] = isHeld ? 'done' : '403 forbidden'
    }
    assert.deepEqual(found, expected)
  })
}
