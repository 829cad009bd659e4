/**
 * The mailbox: the mails of a service without an SMTP server, so that every link can be followed without one.
 *
 * Its reader can take over accounts. So it exists only if config.mayOpenMailbox() says so, requires a key, and refuses requests that come
 * through a proxy or to another host than loopback.
 */
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { getTenant } from '../../domain/access/tenancy.ts'
import type { LinkRow } from '../../domain/mail/composition.ts'
import { codeOfMail, linkOf } from '../../domain/mail/mail.ts'
import { withSecrets } from '../../domain/mail/templates.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { isEqual } from '../../platform/cryptography.ts'
import { empty, statement } from '../../platform/database/database.ts'
import { makePage, readPage } from '../../platform/http/pagination.ts'
import { Email, Id, normalizeEmail, Page, paging, Timestamp } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { isLoopback } from '../../platform/settings/hosts.ts'

const Mail = Type.Object(
  {
    id: Id('mail'),
    to: Type.String({ maxLength: 254, examples: ['ann@example.com'] }),
    subject: Type.String({ maxLength: 500, examples: ['Ann invited you to Acme'] }),
    text: Type.String({ maxLength: 20_000, examples: ['Follow this link: …'] }),
    html: Type.String({ maxLength: 50_000, examples: ['<p>Follow this link: …</p>'] }),
    sentAt: Timestamp,
  },
  { $id: 'Mail', description: 'A mail that was kept instead of sent.' },
)

/** @param key what `Guildhall-Mailbox-Key` must be */
export async function mailboxRoutes(app: App, key: string): Promise<void> {
  app.addSchema(Mail)

  app.get(
    '/mailbox',
    {
      config: { access: 'anyone', problems: ['not_found', 'invalid_cursor', 'tenant_mismatch'] },
      schema: {
        operationId: 'listMails',
        summary: 'Read the local mailbox',
        description: 'Newest first. Exists only without `SMTP_URL`, and only while the service listens on loopback.',
        tags: ['Mailbox'],
        security: [{ mailboxKey: [] }],
        querystring: Type.Object(
          { ...paging, to: Type.Optional({ ...Email, description: 'Mails to this address.' }) },
          { additionalProperties: false },
        ),
        response: { 200: Page(Mail) },
      },
    },
    async (request, reply) => {
      refuseStrangers(request, key)
      const page = readPage(request)
      const to = request.query.to === undefined ? undefined : normalizeEmail(request.query.to)
      const tenant = await getTenant(request)
      const mails = await request.asAnyone(
        tenant,
        (sql) => sql<Static<typeof Mail> & LinkRow>`
          select m.id, m.recipient as to, m.subject, m.text, m.html, m.sent_at,
            m.kind, m.user_id, m.invitation_id, m.session_id, m.attempt_id, m.generation, t.id as tenant, t.slug, t.base_url
          from mails m
          join tenants t on t.id = ${sql.tenant}
          where m.tenant_id = ${sql.tenant}
            ${to === undefined ? empty : statement`and m.recipient = ${to}`}
            ${page.after ? statement`and (m.sent_at, m.id) < (${page.after[0]}, ${page.after[1]})` : empty}
          order by m.sent_at desc, m.id desc
          limit ${page.take}`,
      )
      return makePage(request, reply, page, {
        owner: `mailbox of ${tenant.id}`,
        rows: mails.map((mail) => withSecrets(mail, linkOf(app, mail), codeOfMail(app.keyring, mail))),
        position: ({ sentAt, id }) => [sentAt, id],
      })
    },
  )
}

/** @throws Problem not_found: nobody else learns that there is a mailbox */
function refuseStrangers(request: FastifyRequest, key: string): void {
  const { headers, hostname } = request
  const given = headers['guildhall-mailbox-key']?.toString() ?? ''
  const isForwarded = Object.keys(headers).some((name) =>
    /^(x-)?forwarded|^via$|^(x-real|x-client|true-client)-ip$/.test(name),
  )
  if (!isEqual(given, key) || isForwarded || !isLoopback(hostname)) throw new ApiProblem('not_found')
}
