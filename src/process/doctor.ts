/**
 * Doctor: checks what the service depends on (settings, address, database, wall, queue, domains, secrets, passkeys, issuer of tokens,
 * applications, mail, clock) and says how to correct each fault.
 * It changes nothing and may run while the service runs.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { openTransport } from '../domain/mail/transport.ts'
import { builtConsole } from '../features/pages/console.ts'
import { type Config, ConfigError, loadConfig, settings } from '../platform/settings/config.ts'
import { isLoopback } from '../platform/settings/hosts.ts'
import { version } from '../platform/version.ts'
import { examineDatabase, type Report } from './doctor-database.ts'
import { withData } from './resources.ts'

/** Prints one line for each subject. Sets the exit code to 1 if something fails. */
export async function examine(): Promise<void> {
  const counts = { ok: 0, warn: 0, fail: 0 }
  const report: Report = (subject, level, text) => {
    counts[level]++
    console.log(`  ${level.padEnd(4)}  ${subject.padEnd(12)}  ${text.replaceAll('\n', `\n${' '.repeat(22)}`)}`)
  }
  report('Guildhall', 'ok', `${version}, on Node.js ${process.versions.node}.`)
  const config = readSettings(report)
  if (config) {
    reportAddress(config, report)
    const { metrics } = config
    if (metrics && !isLoopback(metrics.host))
      report(
        'Metrics',
        'warn',
        `are readable by everybody who reaches ${metrics.host}:${metrics.port}. Let only Prometheus reach it.`,
      )
    await withData(config, (resources) => examineDatabase(resources, report)).catch((error: unknown) =>
      report('Database', 'fail', messageOf(error)),
    )
    await examineMail(config, openTransport(config), report)
    if (existsSync(join(builtConsole, 'index.html'))) report('Console', 'ok', 'is built.')
    else
      report(
        'Console',
        'warn',
        'is not built, so there are no pages for people. Run npm start, or node console/build.ts, to build it.',
      )
  }
  console.log(`\n${counts.fail} failed, ${counts.warn} warnings, ${counts.ok} ok.`)
  if (counts.fail > 0) process.exitCode = 1
}

function readSettings(report: Report): Config | undefined {
  try {
    const config = loadConfig()
    const inFile = existsSync('.env') ? Object.keys(parseEnv(readFileSync('.env', 'utf8'))) : undefined
    const from = inFile ? 'from the environment and from .env' : 'from the environment; there is no .env here'
    const unknown = inFile?.filter((name) => !(settings as readonly string[]).includes(name)) ?? []
    if (config.limitsOff) report('Settings', 'warn', 'LIMITS is off: only guesses at passwords are limited.')
    else if (unknown.length > 0) report('Settings', 'warn', `.env has unknown settings: ${unknown.join(', ')}.`)
    else report('Settings', 'ok', `read ${from}.`)
    return config
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    report('Settings', 'fail', error.message)
    return undefined
  }
}

/** Reports on PUBLIC_URL, as far as the settings say. */
function reportAddress({ publicUrl, trustProxy, host }: Config, report: Report): void {
  const { protocol, hostname } = new URL(publicUrl)
  if (isLoopback(hostname))
    report('Address', 'warn', `${publicUrl} is reachable only from this machine. For others, set PUBLIC_URL.`)
  else if (protocol === 'http:')
    report(
      'Address',
      'warn',
      `${publicUrl} is not encrypted: others on the network can read passwords. Put a proxy with TLS in front.`,
    )
  else if (trustProxy.length === 0)
    report(
      'Address',
      'warn',
      `${publicUrl} comes through a proxy that TRUST_PROXY does not name: cookies are not Secure, and all clients share one rate limit.`,
    )
  else report('Address', 'ok', `${publicUrl}, through ${trustProxy.join(', ')} to ${host}.`)
}

async function examineMail(
  { mailFrom, smtpUrl }: Config,
  transport: ReturnType<typeof openTransport>,
  report: Report,
): Promise<void> {
  if (!transport || !smtpUrl)
    return report('Mail', 'warn', 'goes only to the local mailbox. To send it, set SMTP_URL and MAIL_FROM.')
  const { host } = new URL(smtpUrl)
  try {
    await (await transport.open()).verify()
    report('Mail', 'ok', `${host} accepts the connection and the credentials. Mails are sent from ${mailFrom}.`)
  } catch (error) {
    report(
      'Mail',
      'fail',
      `${host} cannot be used: ${messageOf(error)}. Check that it runs and that SMTP_URL is right.`,
    )
  } finally {
    await transport.close()
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
