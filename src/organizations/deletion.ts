/** Deletion: taking an organization away for good, and everything of it. */
import { type Static, Type } from 'typebox'
import { recordEvent } from '../audit/audit.ts'
import type { Sql } from '../database/database.ts'
import { Problem } from '../http/problems.ts'
import { ref, Timestamp } from '../http/schemas.ts'
import type { App } from '../http/server.ts'
import { OrganizationPath } from './organizations.ts'

export async function deletionRoutes(app: App): Promise<void> {
  app.addSchema(Deleted)

  app.delete(
    '/organizations/:orgId',
    {
      config: { access: 'organization:delete', problems: ['confirmation_mismatch'] },
      schema: {
        operationId: 'deleteOrganization',
        summary: 'Delete organization',
        description: 'Permanent: members, invitations, log, everything.',
        tags: ['Organizations'],
        params: Type.Object({ orgId: OrganizationPath }),
        body: Type.Object(
          {
            confirm: Type.String({
              minLength: 1,
              maxLength: 48,
              description: 'The slug of the organization.',
              examples: ['acme'],
            }),
          },
          { additionalProperties: false },
        ),
        response: { 200: ref(Deleted) },
      },
    },
    async (request) =>
      request.inOrganization(async (sql, { organizationId: id, ...caller }) => {
        const [organization] = await sql<{ slug: string }>`
          select slug from organizations where tenant_id = ${sql.tenant} and id = ${id}`
        if (organization?.slug !== request.body.confirm) throw new Problem('confirmation_mismatch')
        await eraseOrganization(sql, id)
        await recordEvent(sql, caller, 'organization.deleted', { target: { type: 'organization', id } })
        return deletedNow(sql)
      }),
  )
}

/** The answer of what deletes for good. */
export const Deleted = Type.Object(
  { deleted: Type.Boolean(), deletedAt: Timestamp },
  { $id: 'Deleted', description: 'It is deleted for good.' },
)

export async function deletedNow(sql: Sql): Promise<Static<typeof Deleted>> {
  const [now] = await sql<Static<typeof Deleted>>`select true as deleted, now() as deleted_at`
  return now as Static<typeof Deleted> // a select without a table has one row
}

/** Takes an organization and everything of it; the row must be locked. What it must not leave behind hangs on foreign keys. */
export async function eraseOrganization(sql: Sql, id: string): Promise<void> {
  await sql`delete from subjects where tenant_id = ${sql.tenant} and organization_id = ${id}`
  await sql`delete from organizations where tenant_id = ${sql.tenant} and id = ${id}`
}
