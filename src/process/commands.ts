/** Commands: parses and checks the operator's command line. The modules that do the work are loaded after that, because loading is slow. */
import { resolve } from 'node:path'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import type { OperatorSettings } from '../features/tenants/tenants.ts'
import type { Config } from '../platform/settings/config.ts'
import type { Files } from './transfer/import.ts'
import type { Kind } from './transfer/rows.ts'
import { UsageError } from './usage.ts'

const tenantOptions = {
  name: { type: 'string' },
  slug: { type: 'string' },
  domain: { type: 'string', multiple: true },
  'mail-from': { type: 'string' },
  'base-url': { type: 'string' },
  origin: { type: 'string', multiple: true },
  'sign-in-domain': { type: 'string' },
  'passkey-domain': { type: 'string' },
  force: { type: 'boolean' },
  yes: { type: 'boolean' },
  now: { type: 'boolean' },
} as const

const tenantActions: Actions = {
  list: { takes: 0, options: [] },
  create: { takes: 1, options: ['name', 'domain', 'mail-from', 'base-url', 'origin'] },
  update: {
    takes: 1,
    options: ['slug', 'name', 'domain', 'mail-from', 'base-url', 'origin', 'sign-in-domain', 'passkey-domain', 'force'],
  },
  'rotate-keys': { takes: 1, options: ['now'] },
  delete: { takes: 1, options: ['yes'] },
}

/** The options that may change the domain of passkeys, which --force allows while there are passkeys. */
const passkeyOptions = ['domain', 'sign-in-domain', 'passkey-domain'] as const

/** @throws UsageError, EmbeddedError, SchemaError, TenantError */
export async function tenantCommand(config: Config, args: readonly string[]): Promise<void> {
  const { action, operand: slug, values, options } = parseAction('tenant', tenantActions, args, tenantOptions)
  const operations = () => import('./operations.ts')
  if (action === 'list') return (await operations()).showTenants(config)

  if (!slug) throw new UsageError(`"tenant ${action}" needs the slug of a tenant.`)
  if (action === 'create' && !values.name) throw new UsageError('A new tenant needs a --name.')
  if (action === 'update' && Object.keys(values).length === 0)
    throw new UsageError(`"tenant update" needs at least one of ${options.map((option) => `--${option}`).join(', ')}.`)
  if (values.force && !passkeyOptions.some((option) => values[option] !== undefined))
    throw new UsageError(`--force needs one of ${passkeyOptions.map((option) => `--${option}`).join(', ')}.`)
  if (action === 'delete' && !values.yes)
    throw new UsageError(`This permanently deletes "${slug}" and everything in it. Add --yes to confirm.`)

  const settings: OperatorSettings = {
    ...(values.name !== undefined && { name: values.name }),
    ...(values.slug !== undefined && { slug: values.slug }),
    ...(values.domain !== undefined && {
      domains: values.domain.map((domain) => domain.toLowerCase()).filter(Boolean),
    }),
    ...(values['mail-from'] !== undefined && { mailFrom: values['mail-from'] || null }),
    ...(values['base-url'] !== undefined && { baseUrl: values['base-url'] || null }),
    ...(values.origin !== undefined && { allowedOrigins: values.origin.filter(Boolean) }),
    ...(values['sign-in-domain'] !== undefined && { signInDomain: values['sign-in-domain'].toLowerCase() || null }),
    ...(values['passkey-domain'] !== undefined && { passkeyDomain: values['passkey-domain'].toLowerCase() || null }),
  }
  const { makeTenant, changeTenant, removeTenant, rotateTenantKeys } = await operations()
  if (action === 'delete') return removeTenant(config, slug)
  if (action === 'rotate-keys') return rotateTenantKeys(config, slug, values.now === true)
  if (action === 'update') return changeTenant(config, slug, settings, values.force === true)
  return makeTenant(config, { ...settings, slug, name: values.name ?? slug })
}

/** @throws UsageError, EmbeddedError, SchemaError, TenantError */
export async function adminCommand(config: Config, args: readonly string[]): Promise<void> {
  const { values, positionals } = parseOrRefuse(() =>
    parseArgs({
      args: [...args],
      options: { email: { type: 'string' }, tenant: { type: 'string' } },
      allowPositionals: true,
    }),
  )
  const [action, ...surplus] = positionals
  if (action !== 'create') throw new UsageError('"admin" needs the action create.')
  checkNoSurplus('admin create', surplus)
  const { email, tenant: slug = 'default' } = values
  if (!email) throw new UsageError('A new admin needs an --email.')
  const { makeAdmin } = await import('./operations.ts')
  await makeAdmin(config, slug, email)
}

/** @throws UsageError, EmbeddedError, SchemaError, TenantError */
export async function userCommand(config: Config, args: readonly string[]): Promise<void> {
  const { values, positionals } = parseOrRefuse(() =>
    parseArgs({ args: [...args], options: { tenant: { type: 'string' } }, allowPositionals: true }),
  )
  const [action, email, ...surplus] = positionals
  if (action !== 'reset-factors') throw new UsageError('"user" needs the action reset-factors.')
  if (!email) throw new UsageError('"user reset-factors" needs the email address of a user.')
  checkNoSurplus('user reset-factors', surplus)
  const { resetUserFactors } = await import('./operations.ts')
  await resetUserFactors(config, values.tenant ?? 'default', email)
}

const accessOptions = { tenant: { type: 'string' }, 'dry-run': { type: 'boolean' }, drop: { type: 'string' } } as const

const accessActions: Actions = {
  export: { takes: 0, options: ['tenant'] },
  apply: { takes: 1, options: ['tenant', 'dry-run', 'drop'] },
  types: { takes: 1, options: [] },
}

/** @throws UsageError, EmbeddedError, SchemaError, TenantError */
export async function accessCommand(config: Config, args: readonly string[]): Promise<void> {
  const { action, operand: source, values } = parseAction('access', accessActions, args, accessOptions)
  const { tenant: slug = 'default', drop = '' } = values
  const operations = () => import('./access-model.ts')
  if (action === 'export') return (await operations()).exportModel(config, slug)

  if (action === 'types') {
    if (!source) throw new UsageError('"access types" needs a file, or the slug of a tenant.')
    return (await operations()).printTypes(config, source)
  }
  if (!source) throw new UsageError('"access apply" needs a file.')
  const keys = drop.split(',').filter(Boolean)
  return (await operations()).applyModel(config, slug, source, { drop: keys, isDry: values['dry-run'] === true })
}

const keyOptions = {
  name: { type: 'string' },
  scopes: { type: 'string' },
  'expires-in-days': { type: 'string' },
  tenant: { type: 'string' },
} as const

const keyActions: Actions = {
  create: { takes: 0, options: ['name', 'scopes', 'expires-in-days', 'tenant'] },
  list: { takes: 0, options: ['tenant'] },
  revoke: { takes: 1, options: ['tenant'] },
}

/** @throws UsageError, EmbeddedError, SchemaError, TenantError */
export async function keyCommand(config: Config, args: readonly string[]): Promise<void> {
  const { action, operand: id, values } = parseAction('key', keyActions, args, keyOptions)
  const { name, scopes, 'expires-in-days': days, tenant: slug = 'default' } = values
  const operations = () => import('./keys.ts')
  if (action === 'list') return (await operations()).showTenantKeys(config, slug)
  if (action === 'revoke') {
    if (!id) throw new UsageError('"key revoke" needs the id of a key.')
    return (await operations()).endTenantKey(config, slug, id)
  }
  if (!name || !scopes) throw new UsageError('A new key needs a --name and --scopes.')
  if (days !== undefined && !/^[1-9]\d{0,2}$/.test(days))
    throw new UsageError('--expires-in-days needs a number of days.')
  const wanted = {
    name,
    scopes: scopes
      .split(',')
      .map((scope) => scope.trim())
      .filter(Boolean),
    expiresInDays: days === undefined ? undefined : Number(days),
  }
  return (await operations()).makeTenantKey(config, slug, wanted)
}

/** @throws UsageError, SchemaError */
export async function distributeCommand(config: Config, args: readonly string[]): Promise<void> {
  const { values } = parseOrRefuse(() => parseArgs({ args: [...args], options: { 'dry-run': { type: 'boolean' } } }))
  const { distributeData } = await import('./operations.ts')
  await distributeData(config, values['dry-run'] === true)
}

const transferOptions = {
  users: { type: 'string' },
  organizations: { type: 'string' },
  memberships: { type: 'string' },
  identities: { type: 'string' },
  applications: { type: 'string' },
  webhooks: { type: 'string' },
  tenant: { type: 'string' },
} as const

/** @throws UsageError, EmbeddedError, SchemaError, TenantError, TransferError */
export async function importCommand(config: Config, args: readonly string[]): Promise<void> {
  const { values } = parseOrRefuse(() =>
    parseArgs({
      args: [...args],
      options: { ...transferOptions, report: { type: 'string' }, 'dry-run': { type: 'boolean' } },
    }),
  )
  const files = readFiles('import', values)
  if (files.organizations && !files.memberships)
    throw new UsageError('--organizations needs --memberships: each organization needs an owner.')
  const options = { reportPath: values.report, isTrial: values['dry-run'] === true }
  const { importData } = await import('./transfers.ts')
  await importData(config, values.tenant ?? 'default', files, options)
}

/** @throws UsageError, EmbeddedError, SchemaError, TenantError, TransferError */
export async function exportCommand(config: Config, args: readonly string[]): Promise<void> {
  const { values } = parseOrRefuse(() =>
    parseArgs({ args: [...args], options: { ...transferOptions, 'with-password-hashes': { type: 'boolean' } } }),
  )
  const files = readFiles('export', values)
  if (values['with-password-hashes'] && !files.users) throw new UsageError('--with-password-hashes needs --users.')
  const { exportData } = await import('./transfers.ts')
  await exportData(config, values.tenant ?? 'default', files, values['with-password-hashes'] === true)
}

/** The options that name a file. The kinds in transfer/rows.ts are not loaded for them. */
const fileOptions = [
  'users',
  'organizations',
  'memberships',
  'identities',
  'applications',
  'webhooks',
] as const satisfies readonly Kind[]

/** @throws UsageError */
function readFiles(command: string, values: Readonly<Partial<Record<Kind, string>>>): Files {
  const given = fileOptions.flatMap((option) =>
    values[option] === undefined ? [] : [[option, values[option]] as const],
  )
  const paths = given.map(([, path]) => path)
  if (paths.length === 0)
    throw new UsageError(
      `"${command}" needs at least one file: --users, --organizations, --memberships, --identities, --applications or --webhooks.`,
    )
  if (new Set(paths.map((path) => resolve(path))).size < paths.length)
    throw new UsageError('Two options name the same file.')
  const unknown = paths.find((path) => !/\.(csv|ndjson|jsonl)$/i.test(path))
  if (unknown !== undefined) throw new UsageError(`The file name "${unknown}" must end in .csv, .ndjson or .jsonl.`)
  return Object.fromEntries(given)
}

/** The actions of a command, with how many operands each takes, and which options. */
export type Actions = Readonly<Record<string, { readonly takes: 0 | 1; readonly options: readonly string[] }>>

/** @throws UsageError for an unknown action, and for what an action does not take */
export function parseAction<Options extends ParseArgsOptionsConfig>(
  command: string,
  actions: Actions,
  args: readonly string[],
  options: Options,
  allowNegative = false,
) {
  const { values, positionals } = parseOrRefuse(() =>
    parseArgs({ args: [...args], options, allowPositionals: true, allowNegative }),
  )
  const [action = '', operand] = positionals
  const known = Object.hasOwn(actions, action) ? actions[action] : undefined
  if (!known) {
    const names = Object.keys(actions)
    throw new UsageError(`"${command}" needs an action: ${names.slice(0, -1).join(', ')} or ${names.at(-1)}.`)
  }
  checkNoSurplus(`${command} ${action}`, positionals.slice(1 + known.takes))
  const wrong = Object.keys(values).find((option) => !known.options.includes(option))
  if (wrong) throw new UsageError(`"${command} ${action}" has no option --${wrong}.`)
  return { action, operand, values, options: known.options }
}

/** @throws UsageError */
function checkNoSurplus(command: string, surplus: readonly string[]): void {
  if (surplus.length > 0) throw new UsageError(`"${command}" does not take: ${surplus.join(' ')}`)
}

/** @throws UsageError for what `parseArgs` refuses */
function parseOrRefuse<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new UsageError(message.replace(/ To specify a positional argument .*/s, '')) // no argument of ours begins with -
  }
}
