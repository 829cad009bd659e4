/**
 * Applications as products run them, with the OpenID Connect clients of others: registered through the API, at a service that is reached at
 * its own public URL. A browser goes between the two. Of our pages it sends what they send.
 */
import assert from 'node:assert/strict'
import type { Static } from 'typebox'
import type { NewApplication } from '../src/features/applications/applications.ts'
import { uuidToTenantId } from '../src/platform/http/schemas.ts'
import { requestApplication } from './application-requests.ts'
import type { Service } from './client.ts'
import { setCookies } from './cookies.ts'
import { freePort } from './ports.ts'
import { type Answer, Client, createWorld, Person, password, type World } from './world.ts'

/** Where applications of tests are. Nothing listens there: a browser that is sent there has arrived. */
export const site = 'http://127.0.0.1:1'
export const callback = `${site}/callback`
export const goodbye = `${site}/goodbye`

/** A world whose service is where it says it is, and which may reach applications on loopback. Call it once at the top of a file. */
export async function createPublicWorld(): Promise<World> {
  const port = await freePort()
  const settings = { PUBLIC_URL: `http://127.0.0.1:${port}`, OUTBOUND_PRIVATE: '127.0.0.1' }
  return createWorld({ port, worker: true, settings })
}

/** What a product copies into its settings. */
export interface Registered {
  readonly id: string
  /** Null: a page or a device has none. */
  readonly secret: string | null
  readonly issuer: string
}

/** Registers an application of the default tenant. By default it is a server, with all scopes about the person. */
export async function register(world: World, fields: Partial<Static<typeof NewApplication>> = {}): Promise<Registered> {
  const { application, secret } = await requestApplication(await world.tenantAdmin(), {
    redirectUris: [callback],
    postLogoutUris: [goodbye],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    ...fields,
  })
  const { app, tenantId } = world
  return { id: application.id, secret, issuer: `${app.config.publicUrl}/api/tenants/${uuidToTenantId(tenantId)}` }
}

/** A browser with cookies of its own. */
export class Browser {
  readonly #service: Service
  readonly #cookies = new Map<string, string>()

  constructor({ app, contract }: World) {
    this.#service = { url: app.config.publicUrl, contract }
  }

  /** @returns the person, with the session of this browser */
  async signIn(person: Person): Promise<Person> {
    await this.#submit('/api/auth/sign-in', { email: person.email, password })
    return new Person(this.#service, `${this.#cookies.get('guildhall')}`, person, {})
  }

  /** Confirms the session with the password. */
  async confirm(): Promise<void> {
    await this.#submit('/api/auth/confirm', { password })
  }

  /** Opens an address, and follows where the service sends it. @returns where it arrives: at a page of ours, or at an application */
  async open(address: URL | string): Promise<URL> {
    let at = new URL(address)
    while (this.#isOurs(at) && at.pathname.startsWith('/api/')) {
      const { status, body, headers } = await this.#send('GET', at.pathname + at.search)
      const location = headers.get('location')
      assert.ok(status === 303 && location, `${at.pathname} answered ${status} ${JSON.stringify(body)}`)
      at = new URL(location, at)
    }
    return at
  }

  /** What a page of ours that leads to an application asks for next; null: nothing. */
  async step(page: URL): Promise<string | null> {
    return (await this.#submit('/api/auth/authorize/preview', { request: this.#requestOf(page) })).step
  }

  /** Where such a page leads without a sign-in. */
  async cancelUrl(page: URL): Promise<URL> {
    return new URL((await this.#submit('/api/auth/authorize/preview', { request: this.#requestOf(page) })).cancelUrl)
  }

  /** Goes on from such a page, once nothing is missing. @returns the address of the application */
  async goOn(page: URL): Promise<URL> {
    const { url } = await this.#submit('/api/auth/authorize', { request: this.#requestOf(page) })
    return new URL(url)
  }

  /** Whether the page of a sign-out asks before it signs out. */
  async isAsked(page: URL): Promise<boolean> {
    return (await this.#submit('/api/auth/sign-out/preview', { request: this.#requestOf(page) })).mustAsk
  }

  /** Signs out on that page. @returns the address of the application; null: it stays on the page */
  async signOut(page: URL): Promise<URL | null> {
    const { url } = await this.#submit('/api/auth/sign-out', { request: this.#requestOf(page) })
    return url === null ? null : new URL(url)
  }

  /** Whether somebody is signed in. */
  async isSignedIn(): Promise<boolean> {
    return (await this.#send('GET', '/api/users/me')).status === 200
  }

  #requestOf(page: URL): string {
    const request = page.searchParams.get('request')
    assert.ok(this.#isOurs(page) && request, `${page} is no page of ours`)
    return request
  }

  #isOurs({ origin }: URL): boolean {
    return origin === this.#service.url
  }

  async #submit(path: string, body: object) {
    const answer = await this.#send('POST', path, body)
    assert.equal(answer.status, 200, `${path} answered ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  async #send(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ')
    const answer = await new Client(this.#service, {}).request(path, {
      method,
      body,
      headers: {
        'guildhall-session': 'cookie',
        'sec-fetch-site': 'same-origin',
        ...(method === 'GET' && { 'sec-fetch-dest': 'document' }),
        ...(cookie !== '' && { cookie }),
      },
    })
    for (const { name, value } of setCookies(answer)) {
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return answer
  }
}
