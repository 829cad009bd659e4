/** The command `guildhall application`: parses and checks its command line. */
import type { parseArgs } from 'node:util'
import type { Config } from '../platform/settings/config.ts'
import { type Actions, parseAction } from './commands.ts'
import { UsageError } from './usage.ts'

const options = {
  name: { type: 'string' },
  kind: { type: 'string' },
  'redirect-uri': { type: 'string', multiple: true },
  'post-logout-uri': { type: 'string', multiple: true },
  'back-channel-logout-uri': { type: 'string' },
  'start-url': { type: 'string' },
  'logo-url': { type: 'string' },
  scopes: { type: 'string' },
  'require-verified-email': { type: 'boolean' },
  'choose-organization': { type: 'boolean' },
  home: { type: 'boolean' },
  enabled: { type: 'boolean' },
  'overlap-seconds': { type: 'string' },
  yes: { type: 'boolean' },
  tenant: { type: 'string' },
} as const

const fields = [
  'name',
  'redirect-uri',
  'post-logout-uri',
  'back-channel-logout-uri',
  'start-url',
  'logo-url',
  'scopes',
  'require-verified-email',
  'choose-organization',
  'home',
  'enabled',
] as const

const actions: Actions = {
  create: { takes: 0, options: [...fields, 'kind', 'tenant'] },
  list: { takes: 0, options: ['tenant'] },
  update: { takes: 1, options: [...fields, 'tenant'] },
  'rotate-secret': { takes: 1, options: ['overlap-seconds', 'tenant'] },
  delete: { takes: 1, options: ['yes', 'tenant'] },
}

/** @throws UsageError, EmbeddedError, SchemaError, TenantError */
export async function applicationCommand(config: Config, args: readonly string[]): Promise<void> {
  const { action, operand: id, values } = parseAction('application', actions, args, options, true)
  const { name, kind, yes, 'overlap-seconds': overlap } = values
  const wanted = wantedOf(values)
  const place = { config, slug: values.tenant ?? 'default' }
  const operations = () => import('./applications.ts')
  if (action === 'list') return (await operations()).showApplications(place)
  if (action === 'create') {
    if (!name || !kind || !values['redirect-uri'])
      throw new UsageError('A new application needs a --name, a --kind and a --redirect-uri.')
    return (await operations()).addApplication(place, { ...wanted, kind })
  }
  if (!id) throw new UsageError(`"application ${action}" needs the id of an application.`)
  if (action === 'update') {
    if (Object.keys(wanted).length === 0)
      throw new UsageError(
        `"application update" needs at least one of ${fields.map((field) => `--${field}`).join(', ')}.`,
      )
    return (await operations()).changeApplication(place, id, wanted)
  }
  if (action === 'delete') {
    if (!yes) throw new UsageError(`This permanently deletes the application ${id}. Add --yes to confirm.`)
    return (await operations()).removeApplication(place, id)
  }
  if (overlap !== undefined && !/^\d{1,7}$/.test(overlap)) throw new UsageError('--overlap-seconds needs a number.')
  return (await operations()).replaceSecret(place, id, overlap === undefined ? undefined : Number(overlap))
}

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

/** @returns the fields that the command line names. An empty text clears one. */
function wantedOf(values: Values): object {
  const { name, scopes, home, enabled } = values
  const [redirectUris, postLogoutUris] = [values['redirect-uri'], values['post-logout-uri']]
  const [backChannel, start, logo] = [values['back-channel-logout-uri'], values['start-url'], values['logo-url']]
  const [requireVerifiedEmail, chooseOrganization] = [values['require-verified-email'], values['choose-organization']]
  return {
    ...(name !== undefined && { name }),
    ...(redirectUris && { redirectUris: redirectUris.filter(Boolean) }),
    ...(postLogoutUris && { postLogoutUris: postLogoutUris.filter(Boolean) }),
    ...(backChannel !== undefined && { backChannelLogoutUri: backChannel || null }),
    ...(start !== undefined && { startUrl: start || null }),
    ...(logo !== undefined && { logoUrl: logo || null }),
    ...(scopes !== undefined && { scopes: scopes.split(/[\s,]+/).filter(Boolean) }),
    ...(requireVerifiedEmail !== undefined && { requireVerifiedEmail }),
    ...(chooseOrganization !== undefined && { chooseOrganization }),
    ...(home !== undefined && { isHome: home }),
    ...(enabled !== undefined && { enabled }),
  }
}
