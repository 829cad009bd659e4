/**
 * The server: the pages, the sign-in, and the notes of organizations.
 *
 * Invariant: for each request for notes, Guildhall has confirmed during this request that the person is in the organization.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { promisify } from 'node:util'
import type { Guildhall } from '@guildhall/client'
import { AuthorizationResponseError } from 'openid-client'
import { readBody, readText } from './bodies.ts'
import type { Files } from './files.ts'
import { forward, forwarded } from './forwarding.ts'
import type { Notes } from './notes.ts'
import { Problem, problemOf } from './problems.ts'
import { openSessions, type Sessions } from './sessions.ts'
import type { SignedIn, SignIn } from './sign-in.ts'

interface Parts {
  /** Of Notes, as browsers know it. */
  readonly origin: string
  readonly guildhall: Guildhall
  readonly signIn: SignIn
  readonly notes: Notes
  readonly files: Files
}

interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly content?: string
}

const notesPath = /^\/api\/organizations\/([\w-]+)\/notes(?:\/(\d{1,15}))?$/
/** The limit of notes in an organization, because a list is a single answer. */
const mostNotes = 500

const policy = [
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'`,
  `base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'`,
]
const securityHeaders = {
  'content-security-policy': policy.join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

export function createNotesServer(parts: Parts): Server {
  const sessions = openSessions(parts.origin)
  return createServer({ requestTimeout: 10_000, connectionsCheckingInterval: 1000 }, async (request, response) => {
    const { status, headers, content } = await answerTo(request, parts, sessions).catch(refusalOf)
    if (status === 401) sessions.end(request) // the session at Guildhall has ended
    for (const [name, value] of Object.entries({ ...securityHeaders, ...headers })) response.setHeader(name, value)
    response.writeHead(status).end(content)
  })
}

/** Accepts no more requests, and ends within a second even if browsers hold unused connections open. */
export async function closeServer(server: Server): Promise<void> {
  setTimeout(() => server.closeAllConnections(), 1000).unref()
  await promisify(server.close.bind(server))()
}

/** @throws Problem, GuildhallError */
async function answerTo(request: IncomingMessage, parts: Parts, sessions: Sessions): Promise<Answer> {
  const { origin, signIn, files } = parts
  const url = URL.parse(request.url ?? '', origin)
  if (!url || url.origin !== origin) throw new Problem(404, 'not_found', 'There is nothing at this address.')
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const person = sessions.find(request)

  switch (`${method} ${url.pathname}`) {
    case 'GET /':
      return page(person ? files.desk : files.welcome(url.searchParams))
    case 'GET /sign-in': {
      const { url: there, begun } = await signIn.begin(url.searchParams)
      return go(there, [sessions.keep(begun)])
    }
    case 'GET /callback':
      return finish(request, url, signIn, sessions)
    case 'POST /sign-out':
      checkSite(request)
      return json(200, { url: person ? signIn.endOf(person) : '/' }, { 'set-cookie': sessions.end(request) })
    case 'POST /back-channel':
      sessions.endAll(await signIn.readLogout(await readBody(request)))
      return { status: 204, headers: { 'cache-control': 'no-store' } }
  }
  const file = method === 'GET' ? files.others.get(url.pathname) : undefined
  if (file)
    return { status: 200, headers: { 'content-type': file.type, 'cache-control': 'no-cache' }, content: file.content }

  const place = notesPath.exec(url.pathname)
  if (!place && !url.pathname.startsWith(`${forwarded}/`))
    throw new Problem(404, 'not_found', 'There is nothing at this address.')
  checkSite(request)
  if (!person) throw new Problem(401, 'unauthenticated', 'You are not signed in.')
  if (!place) return forward(request, url, signIn.api, await signIn.tokenOf(person))
  const [, organization = '', noteId] = place
  return answerNotes(request, organization, noteId, person, parts)
}

/** The browser comes back from Guildhall. */
async function finish(request: IncomingMessage, url: URL, signIn: SignIn, sessions: Sessions): Promise<Answer> {
  const begun = sessions.findBegun(request, url.searchParams.get('state') ?? '')
  if (!begun && sessions.find(request)) return go('/') // it is opened again
  if (!begun) return go('/?unknown') // another sign-in would end here, too: without cookies it would go on for ever
  try {
    const person = await signIn.finish(url, begun)
    return go(person.organization ? `/#${person.organization}` : '/', sessions.begin(request, person, begun))
  } catch (error) {
    if (error instanceof AuthorizationResponseError && error.error === 'access_denied') return go('/') // cancelled
    console.error(error)
    return go('/?failed')
  }
}

async function answerNotes(
  request: IncomingMessage,
  named: string,
  noteId: string | undefined,
  person: SignedIn,
  { guildhall, signIn, notes }: Parts,
): Promise<Answer> {
  const operation = `${request.method} ${noteId ? 'note' : 'notes'}`
  // The person is checked after the body was read, because they may be removed while the body arrives.
  const text = operation === 'POST notes' ? await readText(request) : ''
  const asPerson = guildhall.withToken(await signIn.tokenOf(person))
  const organization = await asPerson.organizations.get(named) // throws not_found if they are not in it
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
      return json(201, notes.add(organization.id, person.sub, text))
    case 'DELETE note': {
      const authorId = notes.findAuthor(organization.id, Number(noteId))
      if (authorId === undefined) throw new Problem(404, 'not_found', 'There is no such note in this organization.')
      if (authorId !== person.sub && !(await asPerson.check(organization.id, 'notes:delete')))
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

/**
 * Pages of other sites can make a browser send requests with our cookie, but not with this header.
 *
 * @throws Problem cross_site
 */
function checkSite({ method = '', headers }: IncomingMessage): void {
  if (['GET', 'HEAD'].includes(method) || headers['sec-fetch-site'] === 'same-origin') return
  throw new Problem(403, 'cross_site', 'Only the pages of Notes may change something.')
}

function page(content: string): Answer {
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }, content }
}

function go(location: string, cookies?: readonly string[]): Answer {
  return { status: 303, headers: { location, 'cache-control': 'no-store', ...(cookies && { 'set-cookie': cookies }) } }
}

function json(status: number, body: unknown, headers: Answer['headers'] = {}): Answer {
  const usual = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return { status, headers: { ...usual, ...headers }, content: JSON.stringify(body) }
}

function refusalOf(error: unknown): Answer {
  const { status, body, headers } = problemOf(error)
  return json(status, body, { 'content-type': 'application/problem+json', ...headers })
}
