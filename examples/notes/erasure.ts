/** Erasure: deletes the notes of organizations and people that no longer exist in Guildhall. */
import type { Guildhall } from '@guildhall/client'
import type { Notes } from './notes.ts'

/**
 * Compares the ids in the notes with all ids in Guildhall. (The audit log says that an account was deleted, but not whose.)
 *
 * @param guildhall with a key of the tenant, because a person sees only their own organizations
 */
export async function eraseDeleted({ admin }: Pick<Guildhall, 'admin'>, notes: Notes): Promise<void> {
  // The notes' ids are read first, so that an organization or person created meanwhile is not deleted. Guildhall's lists are sorted by
  // age, so that nothing changes between two pages.
  const [organizations, authors] = [notes.organizationIds(), notes.authorIds()]
  const everything = { sort: 'createdAt', limit: 100 } as const
  for await (const { id } of admin.organizations.list(everything)) organizations.delete(id)
  for await (const { id } of admin.users.list(everything)) authors.delete(id)
  organizations.forEach(notes.eraseOrganization)
  authors.forEach(notes.eraseAuthor)
}
