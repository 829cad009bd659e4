/** Usage: the command line, as `guildhall help` and `--help` print it. */

/** The command line is invalid. The message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The commands, one on each line. */
const commands = `\
  guildhall serve      start the service, like "npm start"; the default command
  guildhall migrate    bring the database's schema up to date
  guildhall doctor     check settings, database, wall, queue, secrets, passkeys, tokens, applications, mail and clock, and say what to do
  guildhall openapi    print the OpenAPI document
  guildhall version    print the version
  guildhall distribute [--dry-run]
  guildhall tenant list
  guildhall tenant create <slug> --name <name> [--domain <host>]… [--mail-from <address>] [--base-url <url>] [--origin <url>]…
  guildhall tenant update <slug> [--slug <new>] [--name …] [--domain …]… [--mail-from …] [--base-url …] [--origin …]…
  guildhall tenant update <slug> [--sign-in-domain <host>] [--passkey-domain <host>] [--force]
  guildhall tenant rotate-keys <slug> [--now]
  guildhall tenant delete <slug> --yes
  guildhall admin create --email <address> [--tenant <slug>]
  guildhall user reset-factors <email> [--tenant <slug>]
  guildhall access export [--tenant <slug>] > access.json
  guildhall access apply <file> [--tenant <slug>] [--dry-run] [--drop <key>,…]
  guildhall access types <file or tenant> > permissions.ts
  guildhall key create --name <name> --scopes <scope>,… [--expires-in-days <n>] [--tenant <slug>]
  guildhall key list [--tenant <slug>]
  guildhall key revoke <id> [--tenant <slug>]
  guildhall application create --name <name> --kind <server, browser or native> --redirect-uri <url>… [<field>…] [--tenant <slug>]
  guildhall application list [--tenant <slug>]
  guildhall application update <id> <field>… [--tenant <slug>]
  guildhall application rotate-secret <id> [--overlap-seconds <n>] [--tenant <slug>]
  guildhall application delete <id> --yes [--tenant <slug>]
  guildhall import --users <file> --organizations … --memberships … --identities … --applications … --webhooks … [--tenant <slug>] [--report <file>] [--dry-run]
  guildhall export --users <file> --organizations … --memberships … --identities … --applications … --webhooks … [--tenant <slug>] [--with-password-hashes]`

/** What the lines of some commands leave open. */
const notes: readonly { readonly of: readonly string[]; readonly text: string }[] = [
  {
    of: ['import', 'export'],
    text: `\
File names end in .csv or .ndjson; docs/operate/import.md describes their content. At least one file is needed.
Applications come without secrets: "application rotate-secret" makes them.`,
  },
  {
    of: ['distribute'],
    text: `\
"distribute" puts the tables onto a Citus cluster, whose coordinator DATABASE_URL names; docs/operate/citus.md describes it. Stop the
service first. With --dry-run, it shows what it would do, and the service may run. If it is interrupted, run it again: it goes on.`,
  },
  {
    of: ['tenant'],
    text: `\
"tenant update" replaces the whole list of domains or origins; "" removes the domains, sender, base URL or origins.
With --force, passkeys of another domain are deleted; without it, a change that needs this is refused.
"tenant rotate-keys" publishes a new key for signed tokens, which signs a day later. With --now, for a key that may have leaked, it
signs at once, and all other keys are withdrawn.
"tenant delete" permanently deletes the tenant and everything in it.`,
  },
  {
    of: ['admin'],
    text: '"admin create" reads the password from GUILDHALL_ADMIN_PASSWORD, or asks for it.',
  },
  {
    of: ['user'],
    text: `\
"user reset-factors" is for somebody who has lost every second factor: it removes them and linked accounts, turns the password off,
ends all sessions and keys, and mails a link to choose a new password.`,
  },
  {
    of: ['access'],
    text: `\
"access apply" replaces all permissions and roles of the product by those of the file, as JSON. --drop names those that go
although somebody holds them. "access types" writes all permissions as a TypeScript union.`,
  },
  {
    of: ['key'],
    text: `\
"key create" makes a key of the tenant, for the back end of a product, and prints its secret; docs/build/keys.md lists the scopes.
"key revoke" ends one.`,
  },
  {
    of: ['application'],
    text: `\
"application create" makes an application, into which people of the tenant sign in, and prints its issuer, id and secret. The kind is
server, browser (a page without a back end) or native (an app of a device, or a program in a terminal). The id is the client_id.
A <field> is one of these; "" clears an address, or the list of sign-out addresses:
  --name <name>                       as the sign-in pages show it
  --redirect-uri <url>…               where people may be sent with a code; repeat it for several, which replace the list
  --post-logout-uri <url>…            where people may be sent after a sign-out
  --back-channel-logout-uri <url>     where it is told that a session has ended
  --start-url <url>                   where it begins a sign-in by itself
  --logo-url <url>                    its mark on the sign-in pages
  --scopes <scope>,…                  openid, profile, email, offline_access, api; by default the first three
  --[no-]require-verified-email       whether only people with a verified address get in; by default they alone
  --[no-]choose-organization          whether people choose one of their organizations
  --[no-]home                         whether pages that are opened from mails lead on to it; one of a tenant at most
  --[no-]enabled                      whether people can sign in to it; while not, its tokens are refused
"application rotate-secret" prints a new secret; the one before works for a day more, or for --overlap-seconds.
"application delete" asks for --yes. What the application holds is refused from then on, and it is not told.`,
  },
]

const settings = 'Settings come from the environment and from .env; see .env.example.'

export const usage = `guildhall: organizations and users for SaaS products

${commands}

${notes.map(({ text }) => text).join('\n')}
${settings}`

/** @returns what `usage` says of one command; all of it, if there is no such command */
export function helpOf(name: string): string {
  const own = linesOf(name)
  const said = notes.filter(({ of }) => of.includes(name)).map(({ text }) => text)
  return own.length === 0 ? usage : [...own, '', ...said, settings].join('\n')
}

/** @returns the lines of `usage` for one command */
export function usageOf(name: string): string {
  return linesOf(name).join('\n') || 'See: guildhall help'
}

function linesOf(name: string): string[] {
  return commands.split('\n').filter((line) => line.startsWith(`  guildhall ${name} `))
}
