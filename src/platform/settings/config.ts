/**
 * Settings: the environment (and `.env`) read once, checked whole, frozen.
 *
 * Every fault is named at once, so that nobody mends them one start at a time.
 */
import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { loadEnvFile } from 'node:process'
import { isCidr, isLoopback, isSender } from './hosts.ts'
import { type Rate, settingReader } from './reader.ts'
import { readTraceSettings, type TraceSettings, traceSettings } from './traces.ts'

export interface Config {
  readonly host: string
  readonly port: number
  /** Processes that serve. One: that which was started, and no other. */
  readonly workers: number
  /** The folder of the embedded database and of made secrets. */
  readonly dataFolder: string
  /** Absent: the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined
  /** Whether it leads to a pooler that hands a connection on after each transaction. */
  readonly isPooled: boolean
  /** Origin that people reach the service under, without a slash at its end. */
  readonly publicUrl: string
  readonly smtpUrl: string | undefined
  readonly mailFrom: string
  /** Absent: made at the start, when the mailbox is open at all. */
  readonly mailboxKey: string | undefined
  /** Newest first: the first one makes, all of them check. Empty: made and kept in the data folder. */
  readonly secrets: readonly string[]
  readonly admin: { readonly email: string; readonly password: string } | undefined
  /** CIDRs whose forwarding headers are believed. */
  readonly trustProxy: readonly string[]
  /** So many seconds a service that is asked to stop still serves, and says that it is not ready: until the proxies have seen it. */
  readonly shutdownDelay: number
  readonly logLevel: LogLevel
  /** Where metrics are read, by whoever can reach it. Absent: nothing is counted. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined
  /** Absent: nothing is traced. */
  readonly traces: TraceSettings | undefined
  readonly maxOrganizations: number
  readonly maxPendingInvites: number
  readonly maxSessions: number
  /** Sign-ins and sign-ups of one network. */
  readonly limitSignInNetwork: Rate
  readonly limitSignUp: Rate
  /** Mails for resetting, verifying and changing an address: for one address, and from one network. */
  readonly limitMail: Rate
  readonly limitMailNetwork: Rate
  /** Invitations of one inviter and of one organization; the others follow from it (features/invitations/invitation-rates.ts). */
  readonly limitInvites: Rate
  /** Requests of one network without a session, and of one session: counted in each process. */
  readonly limitAnonymous: Rate
  readonly limitRequests: Rate
  /** Whether nothing is limited but guesses at passwords. */
  readonly limitsOff: boolean
}

export class ConfigError extends Error {
  /** @param faults one sentence for each setting that is wrong */
  constructor(faults: readonly string[]) {
    super(`The settings cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Every setting there is. `.env.example` is checked against this list. */
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
  'LIMIT_ANONYMOUS',
  'LIMIT_REQUESTS',
  'LIMITS',
] as const
type Setting = (typeof settings)[number]

/** More of them would want more connections than a PostgreSQL lets in as it comes (resources.ts). */
const mostWorkers = 16

/**
 * Reads `.env` of the working directory, if there is one, under the environment: a variable that is set, and not empty, wins.
 *
 * @throws ConfigError with every fault
 */
export function loadConfig(): Config {
  for (const name of settings) if (process.env[name] === '') delete process.env[name] // it would hide the value in the file
  if (existsSync('.env')) loadEnvFile('.env')
  return readConfig(process.env)
}

/**
 * @param environment variables by name; an empty one counts as absent
 * @throws ConfigError with every fault
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const { faults, read, whole, rate, url, list } = settingReader<Setting>(environment)

  const host = read('HOST') ?? '127.0.0.1'
  if (!isIP(host) && host !== 'localhost') faults.push('HOST must be an IP address or localhost.')
  const port = whole('PORT', 3000, 1, 65_535)
  const workers =
    read('WORKERS') === 'auto'
      ? Math.min(availableParallelism(), mostWorkers)
      : whole('WORKERS', 1, 1, mostWorkers, 'auto, or ')

  const database = url('DATABASE_URL', ['postgres:', 'postgresql:'], 'postgresql://user:password@host:5432/database')
  const pooler = read('DATABASE_POOLER') ?? 'none'
  if (pooler !== 'none' && pooler !== 'transaction') faults.push('DATABASE_POOLER must be none or transaction.')
  if (pooler === 'transaction' && !read('DATABASE_URL')) faults.push('DATABASE_POOLER goes with DATABASE_URL.')
  const smtp = url('SMTP_URL', ['smtp:', 'smtps:'], 'smtps://user:password@mail.example.com')

  const publicUrl = url('PUBLIC_URL', ['http:', 'https:'], 'https://accounts.example.com')
  if (publicUrl && (publicUrl.pathname !== '/' || publicUrl.search || publicUrl.hash || publicUrl.username)) {
    faults.push('PUBLIC_URL must be an origin alone, without a path: https://accounts.example.com')
  }
  if (['0.0.0.0', '::'].includes(host) && !read('PUBLIC_URL')) {
    faults.push(`PUBLIC_URL is needed: HOST is every address of this machine, and links must lead to one.`)
  }
  const origin = publicUrl?.origin ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`

  const trustProxy = list('TRUST_PROXY')
  for (const cidr of trustProxy) {
    if (!isCidr(cidr)) faults.push(`TRUST_PROXY must list addresses or CIDRs such as 10.0.0.0/8; "${cidr}" is neither.`)
    else if (/\/0+$/.test(cidr)) faults.push(`TRUST_PROXY must not trust every address ("${cidr}").`)
  }

  const secrets = list('GUILDHALL_SECRET')
  if (secrets.some((secret) => secret.length < 32)) {
    faults.push(
      'GUILDHALL_SECRET must list secrets of at least 32 characters each, newest first (openssl rand -base64 32).',
    )
  }
  if (database && secrets.length === 0 && !faults.some((fault) => fault.startsWith('GUILDHALL_SECRET'))) {
    faults.push('GUILDHALL_SECRET is needed with DATABASE_URL (openssl rand -base64 32).')
  }

  const adminEmail = read('GUILDHALL_ADMIN_EMAIL')
  const adminPassword = environment.GUILDHALL_ADMIN_PASSWORD || undefined
  // A password alone is for `guildhall admin create`.
  if (adminEmail !== undefined && adminPassword === undefined) {
    faults.push('GUILDHALL_ADMIN_EMAIL needs GUILDHALL_ADMIN_PASSWORD beside it.')
  }
  // What the tenant asks beyond this is known once the database is open.
  if (adminEmail !== undefined && !/^[^\s@]+@[^\s@]+$/.test(adminEmail)) {
    faults.push('GUILDHALL_ADMIN_EMAIL must be an email address.')
  }
  const passwordLength = adminPassword && [...adminPassword.normalize('NFKC')].length
  if (passwordLength && (passwordLength < 8 || passwordLength > 256)) {
    faults.push('GUILDHALL_ADMIN_PASSWORD must have 8 to 256 characters.')
  }

  const mailFrom = read('MAIL_FROM')
  if (smtp && !mailFrom) faults.push('MAIL_FROM is needed with SMTP_URL, like Guildhall <no-reply@example.com>.')
  if (mailFrom && !isSender(mailFrom)) {
    faults.push('MAIL_FROM must be an address like Guildhall <no-reply@example.com>.')
  }

  const mailboxKey = read('MAILBOX_KEY')
  if (mailboxKey && mailboxKey.length < 16) faults.push('MAILBOX_KEY must have at least 16 characters.')
  if (!smtp && !mailboxMayOpen({ host, publicUrl: origin, trustProxy })) {
    faults.push(
      'SMTP_URL is needed: without it mail goes to a local mailbox, which opens only while HOST and PUBLIC_URL are loopback and TRUST_PROXY is unset.',
    )
  }

  const limits = read('LIMITS') ?? 'on'
  if (limits !== 'on' && limits !== 'off') faults.push('LIMITS must be on or off.')
  if (limits === 'off' && !isLoopback(host)) faults.push('LIMITS may be off only while HOST is loopback.')

  const logLevel = read('LOG_LEVEL') ?? 'info'
  if (!isLogLevel(logLevel)) faults.push(`LOG_LEVEL must be one of ${logLevels.join(', ')}.`)

  const metricsPort = read('METRICS_PORT') === undefined ? undefined : whole('METRICS_PORT', 9464, 1, 65_535)
  const metricsHost = read('METRICS_HOST') ?? '127.0.0.1'
  if (!isIP(metricsHost) && metricsHost !== 'localhost') faults.push('METRICS_HOST must be an IP address or localhost.')
  if (metricsPort === port) faults.push('METRICS_PORT must be another port than PORT, which everybody may reach.')
  const traces = readTraceSettings(read, url, faults)

  const config: Config = {
    host,
    port,
    workers,
    dataFolder: read('GUILDHALL_DATA') ?? '.guildhall',
    databaseUrl: database && read('DATABASE_URL'),
    isPooled: pooler === 'transaction',
    publicUrl: origin,
    smtpUrl: smtp && read('SMTP_URL'),
    mailFrom: mailFrom ?? 'Guildhall <guildhall@localhost>',
    mailboxKey,
    secrets,
    admin: adminEmail && adminPassword ? { email: adminEmail, password: adminPassword } : undefined,
    trustProxy,
    shutdownDelay: whole('SHUTDOWN_DELAY', 0, 0, 60),
    logLevel: isLogLevel(logLevel) ? logLevel : 'info',
    metrics: metricsPort === undefined ? undefined : { host: metricsHost, port: metricsPort },
    traces,
    maxOrganizations: whole('MAX_ORGANIZATIONS', 100, 1, 100_000),
    maxPendingInvites: whole('MAX_PENDING_INVITES', 1_000, 1, 100_000),
    maxSessions: whole('MAX_SESSIONS', 50, 1, 1_000),
    limitSignInNetwork: rate('LIMIT_SIGN_IN_NETWORK', { count: 200, seconds: 60 }),
    limitSignUp: rate('LIMIT_SIGN_UP', { count: 100, seconds: 3_600 }),
    limitMail: rate('LIMIT_MAIL', { count: 5, seconds: 3_600 }),
    limitMailNetwork: rate('LIMIT_MAIL_NETWORK', { count: 30, seconds: 3_600 }),
    limitInvites: rate('LIMIT_INVITES', { count: 200, seconds: 86_400 }),
    limitAnonymous: rate('LIMIT_ANONYMOUS', { count: 240, seconds: 60 }),
    limitRequests: rate('LIMIT_REQUESTS', { count: 600, seconds: 60 }),
    limitsOff: limits === 'off',
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.freeze(config)
}

/** Whether mail may be kept in the local mailbox: whoever reads it can take over accounts, so nobody else may reach it. */
export function mailboxMayOpen(config: Pick<Config, 'host' | 'publicUrl' | 'trustProxy'>): boolean {
  return isLoopback(config.host) && isLoopback(new URL(config.publicUrl).hostname) && config.trustProxy.length === 0
}

function isLogLevel(text: string): text is LogLevel {
  return (logLevels as readonly string[]).includes(text)
}
