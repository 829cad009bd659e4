/** Transport: the way to the SMTP server. Its library is loaded with the first mail, because it takes 7 MiB. */
import type { Transporter } from 'nodemailer'
import { kept } from '../../platform/kept.ts'
import type { Config } from '../../platform/settings/config.ts'
import { isLoopback } from '../../platform/settings/hosts.ts'

export interface Transport {
  /** Loads the library at the first call, or after one that failed. It connects to nothing yet. */
  open(): Promise<Transporter>
  close(): Promise<void>
}

/** @returns undefined if the settings name no SMTP server */
export function openTransport({ smtpUrl }: Pick<Config, 'smtpUrl'>): Transport | undefined {
  if (!smtpUrl) return undefined
  const transporter = kept(() => createTransporter(smtpUrl))
  let opened: Promise<Transporter> | undefined
  return {
    open: () => {
      opened = transporter()
      return opened
    },
    close: async () => (await opened?.catch(() => undefined))?.close(),
  }
}

/** Time-outs keep a server that stalls from holding a worker. Options in the query of the URL override those below. */
async function createTransporter(smtpUrl: string): Promise<Transporter> {
  const { hostname } = new URL(smtpUrl)
  const { default: nodemailer } = await import('nodemailer')
  return nodemailer.createTransport({
    url: smtpUrl,
    // Otherwise an attacker on the network could remove STARTTLS from the server's offer, and read the password and the links in mails.
    requireTLS: !isLoopback(hostname),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    dnsTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}
