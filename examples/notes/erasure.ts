/** Erasure: organizations and people that Guildhall no longer has leave no notes here. */
import type { Guildhall } from '@guildhall/client'
import type { Notes } from './notes.ts'

/**
 * Compares the ids that we keep with all that there are. (The audit log says that somebody's account was deleted, but no longer whose.)
 *
 * @param admin of the tenant, as only they see everybody
 */
export async function eraseDeleted(
  guildhall: Guildhall,
  admin: { readonly email: string; readonly password: string },
  notes: Notes,
): Promise<void> {
  const { session } = await guildhall.auth.signIn(admin)
  const asAdmin = guildhall.withToken(session.token)
  try {
    // Ours are read first, so that what is made meanwhile is not among them; theirs by age, which changes nothing between two pages.
    const [organizations, authors] = [notes.organizationIds(), notes.authorIds()]
    const everything = { sort: 'createdAt', limit: 100 } as const
    for await (const { id } of asAdmin.admin.organizations.list(everything)) organizations.delete(id)
    for await (const { id } of asAdmin.admin.users.list(everything)) authors.delete(id)
    organizations.forEach(notes.eraseOrganization)
    authors.forEach(notes.eraseAuthor)
  } finally {
    await asAdmin.auth.signOut()
  }
}
