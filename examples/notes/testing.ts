/** Notes for its tests: registered with Guildhall and listening, with people who sign in. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after } from 'node:test'
import { createGuildhall } from '@guildhall/client'
import { freePort } from '../../test/ports.ts'
import { Browser, register } from '../../test/relying-party.ts'
import { timeout } from '../../test/timeout.ts'
import type { Person, World } from '../../test/world.ts'
import { bundlePage } from './files.ts'
import { openNotes } from './notes.ts'
import { createNotesServer } from './server.ts'
import { openSignIn, scopes } from './sign-in.ts'

/** @param world whose service is at its own PUBLIC_URL, and may call 127.0.0.1 */
export async function startNotes(world: World) {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const { issuer, id, secret } = await register(world, registrationOf(origin))
  const signIn = await openSignIn({ issuer, clientId: id, clientSecret: `${secret}` }, origin)
  const notes = openNotes(':memory:')
  const guildhall = createGuildhall({ url: signIn.api, retries: 0, timeout })
  const parts = { origin, guildhall, signIn, notes, files: await bundlePage(signIn.accounts) }
  const server = createNotesServer(parts).listen(port, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
    notes.close()
  })

  /** Signs a person in whose browser is signed in at Guildhall, and so sees no page. @returns their cookies of Notes */
  async function enter(browser: Browser): Promise<string> {
    const begun = await fetch(`${origin}/sign-in`, { redirect: 'manual' })
    const back = await browser.open(begun.headers.get('location') ?? '')
    const done = await fetch(back, { redirect: 'manual', headers: { cookie: cookiesOf(begun) } })
    assert.match(done.headers.get('location') ?? '', /^\/(#|$)/, 'the sign-in worked')
    return cookiesOf(done)
  }

  return {
    ...parts,
    issuer,
    clientId: id,
    enter,
    /** The same for a person, with a browser of their own. */
    async signInAs(person: Person): Promise<string> {
      const browser = new Browser(world)
      await browser.signIn(person)
      return enter(browser)
    },
    /** Sends a request as a page of Notes does. @param cookie of the person who sends it */
    async ask(
      method: string,
      path: string,
      cookie = '',
      body?: string,
      headers: Readonly<Record<string, string>> = {},
    ) {
      const usual = { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
      const sent = { method, headers: { ...usual, ...headers }, redirect: 'manual', ...(body && { body }) } as const
      const response = await fetch(origin + path, sent)
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json')
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
    },
  }
}

/** What the command of README.md registers. */
export function registrationOf(origin: string) {
  return {
    name: 'Notes',
    redirectUris: [`${origin}/callback`],
    postLogoutUris: [`${origin}/`],
    startUrl: `${origin}/sign-in`,
    backChannelLogoutUri: `${origin}/back-channel`,
    scopes: [...scopes],
    isHome: true,
  }
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}
