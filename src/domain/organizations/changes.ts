/** Changes of what is described of an organization, by its own admins and by those of the tenant. */
import type { Sql } from '../../platform/database/database.ts'
import { assignments } from '../../platform/database/fields.ts'
import { searchKey } from '../../platform/http/schemas.ts'
import type { ActingCaller } from '../access/actors.ts'
import { setExternalIdOfOrganization } from '../people/external-ids.ts'
import { dropPicture, insertPicture, type NewPicture } from '../pictures/pictures.ts'
import { changesBetween } from '../record/changes.ts'
import { record } from '../record/record.ts'
import { wordsOfOrganization } from '../search/words.ts'
import { indexOrganization, newWords, sameWords } from '../search/writing.ts'
import { organizationFields } from './fields.ts'
import { type OrganizationRow, organizationColumns } from './organizations.ts'
import { checkChosen } from './slugs.ts'

/** What is changed of an organization, as it is stored. */
type Changes = Partial<Pick<OrganizationRow, keyof typeof organizationFields | 'externalId'>>

/**
 * Writes what has changed of an organization that a door has locked.
 *
 * @param picture that `logoUrl` names, if it is a new one
 * @throws Problem slug_taken for one that the service keeps; ConstraintError for one that is taken, or such an external id
 */
export async function updateOrganization(
  sql: Sql,
  caller: ActingCaller,
  before: OrganizationRow,
  sent: Changes,
  picture?: NewPicture,
): Promise<OrganizationRow> {
  const { organizationId: id } = caller
  const details = changesBetween(before, sent)
  if (!details) return before
  if (sent.slug !== undefined && sent.slug !== before.slug) checkChosen(sent.slug)

  const wanted = { ...before, ...sent }
  const [isRenamed, words] = [Boolean(details.name ?? details.slug), wordsOfOrganization(wanted)]
  const owner = { organizationId: id }
  const [[after]] = await sql.commit([
    sql<OrganizationRow>`
      update organizations o
      set ${assignments(organizationFields, wanted)}, name_key = ${searchKey(wanted.name)},
        ${isRenamed ? newWords(words) : sameWords}, version = version + 1, updated_at = now()
      where o.tenant_id = ${sql.tenant} and o.id = ${id}
      returning ${organizationColumns}`,
    isRenamed && indexOrganization(sql, { id, words }),
    Boolean(details.logoUrl) && dropPicture(sql, owner),
    picture && insertPicture(sql, owner, picture),
    Boolean(details.externalId) && setExternalIdOfOrganization(sql, id, wanted.externalId ?? null),
    record(sql, caller, 'organization.updated', {
      organizationId: id,
      target: { type: 'organization', id },
      details,
    }),
  ])
  return { ...wanted, ...after }
}
