/** Preview: what the page behind an invitation's link shows, before anybody has signed in. */
import { Type } from 'typebox'
import { getTenant } from '../../domain/access/tenancy.ts'
import { isMailedToken, readMailedToken } from '../../domain/access/tokens.ts'
import { MailedTokenText } from '../../domain/credentials/mailed-tokens.ts'
import {
  closedProblems,
  type Invitation,
  Maker,
  OfferedGrants,
  selectInvitations,
} from '../../domain/organizations/invitations.ts'
import { checkOpen, type MadeOffer, readRight } from '../../domain/organizations/offers.ts'
import { Locale } from '../../domain/people/fields.ts'
import { Role } from '../../domain/permissions/roles.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { Id, Nullable, ref, Timestamp } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function previewRoutes(app: App): Promise<void> {
  app.post(
    '/invites/:inviteId/preview',
    {
      config: { access: 'anyone', problems: ['not_found', 'tenant_mismatch', ...closedProblems] },
      schema: {
        operationId: 'previewInvitation',
        summary: 'See an invitation',
        description: 'What the page behind the mailed link shows. The token stays valid.',
        tags: ['Invitations'],
        params: Type.Object({ inviteId: Id('inv') }),
        body: Type.Object({ token: MailedTokenText }, { additionalProperties: false }),
        response: {
          200: Type.Object(
            {
              organization: Type.Object({
                id: Id('org'),
                name: Type.String({ maxLength: 100, examples: ['Acme'] }),
                slug: Type.String({ maxLength: 48, examples: ['acme'] }),
                logoUrl: Nullable(Type.String({ maxLength: 2048 })),
              }),
              invitedBy: Nullable(ref(Maker)),
              email: Type.String({ maxLength: 254, examples: ['bob@example.com'] }),
              role: Role,
              grants: OfferedGrants,
              memberExpiresAt: Nullable(Timestamp),
              locale: Nullable(Locale),
              expiresAt: Timestamp,
              hasAccount: Type.Boolean({
                description: 'Whether the invited address has an account: then sign in, else sign up.',
              }),
            },
            { description: 'The invitation.' },
          ),
        },
      },
    },
    async (request) => {
      const { inviteId } = request.params
      const token = readMailedToken(request.body.token, 'not_found')
      const tenant = await getTenant(request, token.tenant, 'not_found')
      return request.asAnyone(tenant, async (sql) => {
        const [row] = await sql<Previewed>`
          select i.*, r.generation, r.grants as offered, r.invited_by as maker_id, r.key_id,
            exists (select from users where tenant_id = ${sql.tenant} and email = i.email) as has_account
          from (${selectInvitations(sql.tenant)} and i.id = ${inviteId}) i
          join invitations r on r.tenant_id = ${sql.tenant} and r.id = i.id`
        const isOurs =
          row !== undefined &&
          inviteId === `inv_${token.row}` &&
          isMailedToken(app.keyring, token, 'invitation', {
            tenant: sql.tenant,
            id: inviteId,
            generation: row.generation,
          })
        if (!isOurs || row.email === null) throw new ApiProblem('not_found')
        const { role, offered: grants, memberExpiresAt, makerId, keyId, status } = row
        const right = await readRight(sql, row.organization.id, { user: makerId, key: keyId })
        checkOpen({ status, role, grants, memberExpiresAt, makerId, keyId }, right)
        return row
      })
    },
  )
}

interface Previewed extends Invitation {
  readonly email: string
  readonly generation: number
  readonly hasAccount: boolean
  readonly offered: MadeOffer['grants']
  readonly makerId: string | null
  readonly keyId: string | null
}
