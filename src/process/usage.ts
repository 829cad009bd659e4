/** Usage: the command line, as `guildhall help` prints it. */

/** The command line is invalid. The message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const usage = `guildhall: organizations and users for SaaS products

  guildhall serve      start the service, like "npm start"; the default command
  guildhall migrate    bring the database's schema up to date
  guildhall doctor     check settings, database, wall, queue, secrets, passkeys, tokens, mail and clock, and say what to do
  guildhall openapi    print the OpenAPI document
  guildhall version    print the version
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
  guildhall import --users <file> --organizations … --memberships … --identities … [--tenant <slug>] [--report <file>] [--dry-run]
  guildhall export --users <file> --organizations … --memberships … --identities … [--tenant <slug>] [--with-password-hashes]

File names end in .csv or .ndjson; docs/operate/import.md describes their content. At least one file is needed.
"tenant update" replaces the whole list of domains or origins; "" removes the domains, sender, base URL or origins.
With --force, passkeys of another domain are deleted; without it, a change that needs this is refused.
"tenant rotate-keys" publishes a new key for signed tokens, which signs a day later. With --now, for a key that may have leaked, it
signs at once, and all other keys are withdrawn.
"tenant delete" permanently deletes the tenant and everything in it. "admin create" reads the password from
GUILDHALL_ADMIN_PASSWORD, or asks for it. "user reset-factors" is for somebody who has lost every second factor: it removes
them and linked accounts, turns the password off, ends all sessions, and mails a link to choose a new password.
"access apply" replaces all permissions and roles of the product by those of the file, as JSON. --drop names those that go
although somebody holds them. "access types" writes all permissions as a TypeScript union.
"key create" makes a key of the tenant, for the back end of a product, and prints its secret; docs/build/keys.md lists the scopes.
"key revoke" ends one.
"application create" makes an application, into which people of the tenant sign in, and prints its issuer, id and secret. A <field> is
--name, --redirect-uri …, --post-logout-uri …, --back-channel-logout-uri, --start-url, --logo-url, --scopes <scope>,…,
--[no-]require-verified-email, --[no-]choose-organization, --[no-]home or --[no-]enabled; "" clears one.
Settings come from the environment and from .env; see .env.example.`

/** @returns the lines of `usage` for one command */
export function usageOf(name: string): string {
  const lines = usage.split('\n').filter((line) => line.startsWith(`  guildhall ${name} `))
  return lines.join('\n') || 'See: guildhall help'
}
