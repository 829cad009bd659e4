/** Usage: what may be typed, and what is said of what may not. */

/** The command line cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const usage = `guildhall: organizations and users for SaaS products

  guildhall serve      start the service, as "npm start" does, and guildhall without a command
  guildhall migrate    bring the database's schema up to date, and stop
  guildhall doctor     look at settings, database, wall, queue, mail and clock, and say what to do
  guildhall openapi    print the OpenAPI document
  guildhall version    print the version
  guildhall tenant list
  guildhall tenant create <slug> --name <name> [--domain <host>]… [--mail-from <address>] [--base-url <url>] [--origin <url>]…
  guildhall tenant update <slug> [--slug <new>] [--name …] [--domain …]… [--mail-from …] [--base-url …] [--origin …]…
  guildhall tenant delete <slug> --yes
  guildhall admin create --email <address> [--tenant <slug>]
  guildhall import --users <file> --organizations <file> --memberships <file> [--tenant <slug>] [--report <file>] [--dry-run]
  guildhall export --users <file> --organizations <file> --memberships <file> [--tenant <slug>] [--with-password-hashes]

Files end in .csv or .ndjson; docs/operate/import.md says what stands in them, and any of them may be left out.
Of a tenant, "" takes the domains, the sender, the base URL or the origins away; what is given replaces the whole list.
Deleting one is for good, with everything in it. The password of a new admin is read from GUILDHALL_ADMIN_PASSWORD, or
typed. Settings come from the environment and from .env; see .env.example.`

/** @returns the lines about one command */
export function usageOf(name: string): string {
  const lines = usage.split('\n').filter((line) => line.startsWith(`  guildhall ${name} `))
  return lines.join('\n') || 'See: guildhall help'
}
