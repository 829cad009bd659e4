/**
 * Settings: read once from the environment and `.env`, checked and frozen.
 *
 * All faults are reported together, so that the operator can correct them before the next start.
 */
import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { loadEnvFile } from 'node:process'
import { faultsOfPrivate, faultsOfProxies, hostInUrl, isLoopback, isSender } from './hosts.ts'
import { forgetLibpqVariables } from './libpq.ts'
import { type Rate, type Reader as ReaderOf, settingReader } from './reader.ts'
import { readTraceSettings, type TraceSettings, traceSettings } from './traces.ts'

export interface Config {
  readonly host: string
  readonly port: number
  /** The number of serving processes. With 1, the started process serves alone. */
  readonly workers: number
  /** The folder of the embedded database and of generated secrets. */
  readonly dataFolder: string
  /** Undefined: the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined
  /** Whether the URL leads to a pooler in transaction mode, which assigns a connection to each transaction. */
  readonly isPooled: boolean
  /** The origin under which people reach the service, without a trailing slash. */
  readonly publicUrl: string
  readonly smtpUrl: string | undefined
  readonly mailFrom: string
  /** Undefined: generated at the start, if there is a mailbox. */
  readonly mailboxKey: string | undefined
  /** Newest first: the first one signs and encrypts, all of them verify and decrypt. Empty: one is generated and stored in the data folder. */
  readonly secrets: readonly string[]
  readonly admin: { readonly email: string; readonly password: string } | undefined
  /** Addresses and CIDRs of the proxies whose forwarding headers are trusted. */
  readonly trustProxy: readonly string[]
  /** Hosts and CIDRs that the service may call although they are private, and by plain HTTP. */
  readonly outboundPrivate: readonly string[]
  /** How many webhooks send at once; and as many of those that are failing or slow. */
  readonly webhookConcurrency: number
  /** Seconds to keep serving after SIGTERM while `/readyz` returns 503, so that proxies drain this node. */
  readonly shutdownDelay: number
  readonly logLevel: LogLevel
  /** The address where everybody who can reach it reads the metrics. Undefined: metrics are off. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined
  /** Undefined: traces are off. */
  readonly traces: TraceSettings | undefined
  readonly maxOrganizations: number
  readonly maxPendingInvites: number
  readonly maxSessions: number
  /** Sign-ins and sign-ups from one network. */
  readonly limitSignInNetwork: Rate
  readonly limitSignUp: Rate
  /** Mails that reset a password or verify or change an address: to one address, and caused by one network. */
  readonly limitMail: Rate
  readonly limitMailNetwork: Rate
  /** Invitations by one inviter and of one organization, and joins by one person through links; others are derived (domain/limits/limits.ts). */
  readonly limitInvites: Rate
  readonly limitJoins: Rate
  /** Requests without a credential from one network, of one session, and of one key, counted in each process. */
  readonly limitAnonymous: Rate
  readonly limitRequests: Rate
  readonly limitKey: Rate
  readonly limitTenantKey: Rate
  readonly limitApplication: Rate
  /** Whether all limits are off, except those of guesses at passwords. */
  readonly limitsOff: boolean
}

export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`The settings are invalid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]
const isLogLevel = (text: string): text is LogLevel => (logLevels as readonly string[]).includes(text)

/** All settings. A test compares `.env.example` with this list. */
export const settings = [
  'HOST',
  'PORT',
  'WORKERS',
  'GUILDHALL_DATA',
  'DATABASE_URL',
  'DATABASE_POOLER',
  'PUBLIC_URL',
  'SMTP_URL',
  'MAIL_FROM',
  'MAILBOX_KEY',
  'GUILDHALL_SECRET',
  'GUILDHALL_ADMIN_EMAIL',
  'GUILDHALL_ADMIN_PASSWORD',
  'TRUST_PROXY',
  'OUTBOUND_PRIVATE',
  'WEBHOOK_CONCURRENCY',
  'SHUTDOWN_DELAY',
  'LOG_LEVEL',
  'METRICS_PORT',
  'METRICS_HOST',
  ...traceSettings,
  'MAX_ORGANIZATIONS',
  'MAX_PENDING_INVITES',
  'MAX_SESSIONS',
  'LIMIT_SIGN_IN_NETWORK',
  'LIMIT_SIGN_UP',
  'LIMIT_MAIL',
  'LIMIT_MAIL_NETWORK',
  'LIMIT_INVITES',
  'LIMIT_JOINS',
  'LIMIT_ANONYMOUS',
  'LIMIT_REQUESTS',
  'LIMIT_KEY',
  'LIMIT_TENANT_KEY',
  'LIMIT_APPLICATION',
  'LIMITS',
] as const
type Reader = ReaderOf<(typeof settings)[number]>

/** More processes would need more connections than PostgreSQL's default `max_connections` (process/resources.ts). */
const maxWorkers = 16

/**
 * Reads the environment, and `.env` in the working directory if it exists. A non-empty variable of the environment takes precedence.
 *
 * @throws ConfigError with every fault
 */
export function loadConfig(): Config {
  for (const name of settings) if (process.env[name] === '') delete process.env[name] // otherwise the value in the file would be ignored
  if (existsSync('.env')) loadEnvFile('.env')
  forgetLibpqVariables()
  return readConfig(process.env)
}

/**
 * @param environment variables by name; an empty one counts as absent
 * @throws ConfigError with every fault
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const reader: Reader = settingReader(environment)
  const serving = readServing(reader)
  const config: Config = {
    ...serving,
    ...readStore(reader),
    ...readMail(reader, serving),
    admin: readAdmin(reader),
    ...readWatching(reader, serving),
    ...readLimits(reader, serving),
  }
  if (reader.faults.length > 0) throw new ConfigError(reader.faults)
  return Object.freeze(config)
}

type Serving = Pick<
  Config,
  'host' | 'port' | 'workers' | 'publicUrl' | 'trustProxy' | 'shutdownDelay' | 'outboundPrivate' | 'webhookConcurrency'
>

/** Where the service is, how it runs, and whom it trusts and calls. */
function readServing({ faults, read, whole, url, list }: Reader): Serving {
  const host = read('HOST') ?? '127.0.0.1'
  if (!isIP(host) && host !== 'localhost') faults.push('HOST must be an IP address or localhost.')
  const port = whole('PORT', 3000, 1, 65_535)
  const workers =
    read('WORKERS') === 'auto'
      ? Math.min(availableParallelism(), maxWorkers)
      : whole('WORKERS', 1, 1, maxWorkers, 'auto, or ')

  const publicUrl = url('PUBLIC_URL', ['http:', 'https:'], 'https://accounts.example.com')
  if (publicUrl && (publicUrl.pathname !== '/' || publicUrl.search || publicUrl.hash || publicUrl.username)) {
    faults.push('PUBLIC_URL must be an origin without a path, such as https://accounts.example.com')
  }
  if (['0.0.0.0', '::'].includes(host) && !read('PUBLIC_URL')) {
    faults.push(`PUBLIC_URL is needed: HOST means every address of this machine, and links need one of them.`)
  }

  const usualUrl = `http://${hostInUrl(host)}:${port}`

  const trustProxy = list('TRUST_PROXY')
  const outboundPrivate = list('OUTBOUND_PRIVATE')
  faults.push(...faultsOfProxies(trustProxy), ...faultsOfPrivate(outboundPrivate))
  return {
    host,
    port,
    workers,
    publicUrl: (publicUrl ?? URL.parse(usualUrl))?.origin ?? usualUrl, // an origin has no `:80`
    trustProxy,
    shutdownDelay: whole('SHUTDOWN_DELAY', 0, 0, 60),
    outboundPrivate,
    webhookConcurrency: whole('WEBHOOK_CONCURRENCY', 16, 1, 128),
  }
}

/**
 * What the service itself says of its connections. In the driver, parameters of the URL would replace it: the name by which commands know a
 * service, settings that its statements rely on, and timeouts. The driver has one encoding, and ignores another.
 */
const ofConnections = [
  'application_name',
  'options',
  'client_encoding',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'query_timeout',
  'replication',
  'binary',
]

/** Where data is stored, and the secrets that seal some of it. */
function readStore(reader: Reader): Pick<Config, 'dataFolder' | 'databaseUrl' | 'isPooled' | 'secrets'> {
  const { faults, read, url, list } = reader
  const database = url('DATABASE_URL', ['postgres:', 'postgresql:'], 'postgresql://user:password@host:5432/database')
  const ours = ofConnections.filter((name) => database?.searchParams.has(name))
  const advice = ours.includes('options') ? ' Set what you need of options on the role (alter role … set …).' : ''
  if (ours.length > 0)
    faults.push(`DATABASE_URL must not have the parameter${ours.length > 1 ? 's' : ''} ${ours.join(', ')}.${advice}`)
  const pooler = read('DATABASE_POOLER') ?? 'none'
  if (pooler !== 'none' && pooler !== 'transaction') faults.push('DATABASE_POOLER must be none or transaction.')
  if (pooler === 'transaction' && !read('DATABASE_URL')) faults.push('DATABASE_POOLER needs DATABASE_URL.')

  const secrets = list('GUILDHALL_SECRET')
  if (secrets.some((secret) => secret.length < 32)) {
    faults.push(
      'GUILDHALL_SECRET must list secrets of at least 32 characters each, newest first (openssl rand -base64 32).',
    )
  }
  if (database && secrets.length === 0) {
    faults.push('GUILDHALL_SECRET is needed with DATABASE_URL (openssl rand -base64 32).')
  }
  return {
    dataFolder: read('GUILDHALL_DATA') ?? '.guildhall',
    databaseUrl: database && read('DATABASE_URL'),
    isPooled: pooler === 'transaction',
    secrets,
  }
}

/** The mail server, or the local mailbox in its place. */
function readMail(reader: Reader, serving: Serving): Pick<Config, 'smtpUrl' | 'mailFrom' | 'mailboxKey'> {
  const { faults, read, url } = reader
  const smtp = url('SMTP_URL', ['smtp:', 'smtps:'], 'smtps://user:password@mail.example.com')
  const mailFrom = read('MAIL_FROM')
  if (smtp && !mailFrom) faults.push('MAIL_FROM is needed with SMTP_URL, like Guildhall <no-reply@example.com>.')
  if (mailFrom && !isSender(mailFrom)) {
    faults.push('MAIL_FROM must be an address like Guildhall <no-reply@example.com>.')
  }

  const mailboxKey = read('MAILBOX_KEY')
  if (mailboxKey && mailboxKey.length < 16) faults.push('MAILBOX_KEY must have at least 16 characters.')
  if (!smtp && !mayOpenMailbox(serving)) {
    faults.push(
      'SMTP_URL is needed: the local mailbox exists only while HOST and PUBLIC_URL are loopback and TRUST_PROXY is unset.',
    )
  }
  return { smtpUrl: smtp && read('SMTP_URL'), mailFrom: mailFrom ?? 'Guildhall <guildhall@localhost>', mailboxKey }
}

/** The first admin of the tenant `default`. */
function readAdmin({ faults, read, untrimmed }: Reader): Config['admin'] {
  const email = read('GUILDHALL_ADMIN_EMAIL')
  const password = untrimmed('GUILDHALL_ADMIN_PASSWORD')
  // A password without an address is valid: `guildhall admin create` reads it.
  if (email !== undefined && password === undefined) {
    faults.push('GUILDHALL_ADMIN_EMAIL needs GUILDHALL_ADMIN_PASSWORD.')
  }
  // The tenant's own rules are in the database and are checked later.
  if (email !== undefined && !/^[^\s@]+@[^\s@]+$/.test(email)) {
    faults.push('GUILDHALL_ADMIN_EMAIL must be an email address.')
  }
  const length = password && [...password.normalize('NFKC')].length
  if (length && (length < 8 || length > 256)) {
    faults.push('GUILDHALL_ADMIN_PASSWORD must have 8 to 256 characters.')
  }
  return email && password ? { email, password } : undefined
}

/** What the operator sees of the running service. */
function readWatching(reader: Reader, { port }: Serving): Pick<Config, 'logLevel' | 'metrics' | 'traces'> {
  const { faults, read, whole } = reader
  const logLevel = read('LOG_LEVEL') ?? 'info'
  if (!isLogLevel(logLevel)) faults.push(`LOG_LEVEL must be one of ${logLevels.join(', ')}.`)

  const metricsPort = read('METRICS_PORT') === undefined ? undefined : whole('METRICS_PORT', 9464, 1, 65_535)
  const metricsHost = read('METRICS_HOST') ?? '127.0.0.1'
  if (!isIP(metricsHost) && metricsHost !== 'localhost') faults.push('METRICS_HOST must be an IP address or localhost.')
  if (metricsPort === port) faults.push('METRICS_PORT must differ from PORT, because everybody may reach PORT.')
  return {
    logLevel: isLogLevel(logLevel) ? logLevel : 'info',
    metrics: metricsPort === undefined ? undefined : { host: metricsHost, port: metricsPort },
    traces: readTraceSettings(reader),
  }
}

/** How many of something there may be, and how often something may be done. */
function readLimits(
  reader: Reader,
  { host }: Serving,
): Pick<Config, keyof Config & (`max${string}` | `limit${string}`)> {
  const { faults, read, whole, rate } = reader
  const limits = read('LIMITS') ?? 'on'
  if (limits !== 'on' && limits !== 'off') faults.push('LIMITS must be on or off.')
  if (limits === 'off' && !isLoopback(host)) faults.push('LIMITS may be off only while HOST is loopback.')
  return {
    maxOrganizations: whole('MAX_ORGANIZATIONS', 100, 1, 100_000),
    maxPendingInvites: whole('MAX_PENDING_INVITES', 1_000, 1, 100_000),
    maxSessions: whole('MAX_SESSIONS', 50, 1, 1_000),
    limitSignInNetwork: rate('LIMIT_SIGN_IN_NETWORK', { count: 200, seconds: 60 }),
    limitSignUp: rate('LIMIT_SIGN_UP', { count: 100, seconds: 3_600 }),
    limitMail: rate('LIMIT_MAIL', { count: 5, seconds: 3_600 }),
    limitMailNetwork: rate('LIMIT_MAIL_NETWORK', { count: 30, seconds: 3_600 }),
    limitInvites: rate('LIMIT_INVITES', { count: 200, seconds: 86_400 }),
    limitJoins: rate('LIMIT_JOINS', { count: 60, seconds: 3600 }),
    limitAnonymous: rate('LIMIT_ANONYMOUS', { count: 240, seconds: 60 }),
    limitRequests: rate('LIMIT_REQUESTS', { count: 600, seconds: 60 }),
    limitKey: rate('LIMIT_KEY', { count: 1_200, seconds: 60 }),
    limitTenantKey: rate('LIMIT_TENANT_KEY', { count: 60_000, seconds: 60 }),
    limitApplication: rate('LIMIT_APPLICATION', { count: 6_000, seconds: 60 }),
    limitsOff: limits === 'off',
  }
}

/** Whether the local mailbox may exist: only if no other machine can reach it, because its mails are enough to take over accounts. */
export function mayOpenMailbox(config: Pick<Config, 'host' | 'publicUrl' | 'trustProxy'>): boolean {
  return isLoopback(config.host) && isLoopback(new URL(config.publicUrl).hostname) && config.trustProxy.length === 0
}
