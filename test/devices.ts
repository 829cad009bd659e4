/** Devices for tests: people who sign in from many networks, on browsers and without, and the mails about new devices that reach them. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { queueIsDone } from './queue.ts'
import { startSink, until } from './smtp.ts'
import { type Answer, createWorld, password, type World } from './world.ts'

export const wrong = 'not the password'
export const from = (ip: string) => ({ 'x-forwarded-for': ip })

/** A world behind a proxy, whose mails go out. Call it once at the top of a test file. */
export async function createDeviceWorld() {
  const sink = await startSink()
  const world = await createWorld({
    processes: 2,
    settings: {
      TRUST_PROXY: '127.0.0.1',
      SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
      MAIL_FROM: 'guildhall@example.com',
    },
    worker: true,
  })
  after(() => sink.stop())
  const { query } = world.postgres
  const { tenantId: tenant } = world

  const signIn = (
    email: string,
    ip: string,
    typed = password,
    headers: Record<string, string> = {},
    deviceToken?: string,
  ) => world.nobody.post('/api/auth/sign-in', { email, password: typed, deviceToken }, { ...from(ip), ...headers })

  /** Fails as often as is free, and keeps the next attempt away. */
  const block = async (email: string, attempt: () => Promise<Answer>): Promise<void> => {
    for (let each = 0; each < 5; each++) assert.equal((await attempt()).status, 401)
    const account = world.keyring.hmac('guessing', 'account', tenant, email)
    await query(
      `update password_attempts set next_at = now() + interval '15 minutes' where account = $1 and next_at > to_timestamp(0)`,
      [account],
    )
    assert.equal((await attempt()).status, 429)
  }

  /** The links of the mails about new devices that went to an address. */
  const links = (email: string): string[] =>
    sink.arrived
      .filter(({ recipients }) => recipients.includes(email))
      .flatMap(({ mail }) => /\/end-session#token=(\S+)/.exec(mail.text ?? '')?.[1] ?? [])

  const newLink = async (email: string, count = 1): Promise<string> => {
    await until(() => links(email).length >= count, `${count} mails about new devices to ${email}`)
    return links(email).at(-1) ?? ''
  }

  return {
    world,
    tenant,
    sink,
    signIn,
    block,
    links,
    newLink,
    queueIsDone: () => queueIsDone(world.postgres),
    browser: () => new Browser(world),
  }
}

/** Asks for cookies and keeps them. */
class Browser {
  readonly #world: World
  readonly cookies = new Map<string, string>()

  constructor(world: World) {
    this.#world = world
  }

  get headers(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return { 'guildhall-session': 'cookie', 'sec-fetch-site': 'same-origin', ...(cookie !== '' && { cookie }) }
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await this.#world.nobody.post(path, body, { ...this.headers, ...headers })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0/.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }

  signIn(email: string, ip: string, typed = password): Promise<Answer> {
    return this.post('/api/auth/sign-in', { email, password: typed }, from(ip))
  }
}
