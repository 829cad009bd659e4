/**
 * The server: the files of the page, and the notes of organizations.
 *
 * Invariant: for each request for notes, Guildhall has confirmed during this request that the caller is in the organization.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { promisify } from 'node:util'
import type { Guildhall } from '@guildhall/client'
import { readText } from './bodies.ts'
import type { Files } from './files.ts'
import type { Notes } from './notes.ts'
import { Problem, problemOf } from './problems.ts'

interface Parts {
  readonly guildhall: Guildhall
  /** The URL of Guildhall for browsers. */
  readonly accounts: string
  readonly notes: Notes
  readonly files: Files
}

interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly content?: string
}

const notesPath = /^\/api\/organizations\/([\w-]+)\/notes(?:\/(\d{1,15}))?$/
/** The limit of notes in an organization, because a list is a single answer. */
const mostNotes = 500

export function createNotesServer(parts: Parts): Server {
  const policy = [
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'`,
    `connect-src 'self' ${new URL(parts.accounts).origin}`,
    `base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'`,
  ]
  const headers = {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
  return createServer({ requestTimeout: 10_000, connectionsCheckingInterval: 1000 }, async (request, response) => {
    const answer = await answerTo(request, parts).catch(refusalOf)
    response.writeHead(answer.status, { ...headers, ...answer.headers }).end(answer.content)
  })
}

/** Accepts no more requests, and ends within a second even if browsers hold unused connections open. */
export async function closeServer(server: Server): Promise<void> {
  setTimeout(() => server.closeAllConnections(), 1000).unref()
  await promisify(server.close.bind(server))()
}

/** @throws Problem, GuildhallError */
async function answerTo(request: IncomingMessage, { guildhall, notes, files }: Parts): Promise<Answer> {
  const { pathname = '' } = URL.parse(request.url ?? '', 'http://notes') ?? {}
  const file = request.method === 'GET' || request.method === 'HEAD' ? files.get(pathname) : undefined
  if (file)
    return { status: 200, headers: { 'content-type': file.type, 'cache-control': 'no-cache' }, content: file.content }

  const [, named, noteId] = notesPath.exec(pathname) ?? []
  if (named === undefined) throw new Problem(404, 'not_found', 'There is nothing at this address.')
  const operation = `${request.method} ${noteId ? 'note' : 'notes'}`
  // The caller is checked after the body was read, because a person may be removed while the body arrives.
  const text = operation === 'POST notes' ? await readText(request) : ''
  const { user, organization, guildhall: sender } = await guildhall.authenticate(request, { organization: named })
  switch (operation) {
    case 'GET notes':
      return json(200, notes.list(organization.id))
    case 'POST notes':
      if (notes.count(organization.id) >= mostNotes)
        throw new Problem(
          409,
          'limit_reached',
          `This organization has ${mostNotes} notes, which is the limit. Delete some first.`,
        )
      return json(201, notes.add(organization.id, user.id, text))
    case 'DELETE note': {
      const authorId = notes.findAuthor(organization.id, Number(noteId))
      if (authorId === undefined) throw new Problem(404, 'not_found', 'There is no such note in this organization.')
      if (authorId !== user.id && !(await sender.check(organization.id, 'notes:delete')))
        throw new Problem(403, 'forbidden', 'Only its author, or somebody who may delete all notes, can delete a note.')
      notes.delete(organization.id, Number(noteId))
      return { status: 204 }
    }
    default: {
      const headers = { allow: noteId ? 'DELETE' : 'GET, POST' }
      throw new Problem(405, 'method_not_allowed', 'This address does not support the method.', { headers })
    }
  }
}

function json(status: number, body: unknown): Answer {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return { status, headers, content: JSON.stringify(body) }
}

function refusalOf(error: unknown): Answer {
  const { status, body, headers } = problemOf(error)
  const answer = json(status, body)
  return { ...answer, headers: { ...answer.headers, 'content-type': 'application/problem+json', ...headers } }
}
