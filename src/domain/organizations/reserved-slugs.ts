/** Words that no organization gets as its slug. It imports nothing, for the console asks it, too (console/organizations/new-details.tsx). */

/** Pages of the console beside those of organizations (`/organizations/new`), and words that such a page may have one day. */
const words = `
  about access account accounts activity admin administration all analytics api app applications apps archive archived
  audit billing browse bulk compare create created creation dashboard default delete deleted devices directory
  discover domains edit events export feed groups help home import index invitation invitations invite invites join
  keys leave link links list log login logs mail manage member members merge mine move new notifications null
  organization organizations overview owned owners pages pending people permissions pictures profile providers recent
  reports requests restore roles search second-factor security sessions settings setup start suspended switch teams
  tenant tenants tokens transfer transfers trash undefined uploads user users webhooks welcome`

const reserved: ReadonlySet<string> = new Set(words.trim().split(/\s+/))

export function isReservedSlug(slug: string): boolean {
  return reserved.has(slug)
}
