/** Changes of addresses for tests: the links to the new address, the way back for the old one, and what is told and recorded of it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { queueIsDone } from './queue.ts'
import { until } from './smtp.ts'
import { type Json, type Person, password, type World } from './world.ts'

export const newPassword = 'another long passphrase'
export const newAddress = () => `new-${randomBytes(5).toString('hex')}@example.com`
export const me = async (person: Person): Promise<Json> => (await person.get('/api/users/me')).body

/** @returns functions that do each of these in the world of a test file, whose worker runs */
export function onEmailChanges(world: World) {
  const { query } = world.postgres
  const request = (person: Person, email: string, currentPassword = password) =>
    person.patch('/api/users/me', { email, currentPassword })
  const open = (person: Pick<Person, 'post'>, token: string) => person.post('/api/auth/verify-email', { token })
  const undo = (token: string) => world.nobody.post('/api/auth/undo-email-change', { token })
  const signUp = (email: string) => world.nobody.post('/api/auth/sign-up', { email, password })
  const signIn = (email: string, typed = password) => world.nobody.post('/api/auth/sign-in', { email, password: typed })
  const linkTo = (email: string) => world.mailedToken(email, 'verify-email')

  /** Changes a person's address by the link that is mailed there. */
  async function change(person: Person, email: string, typed = password): Promise<void> {
    assert.equal((await request(person, email, typed)).status, 200)
    assert.deepEqual((await open(person, await linkTo(email))).body, { email, emailVerified: true })
  }

  /** The way back in the mail whose subject ends so. */
  async function wayBack(
    email: string,
    subject: 'was changed' | 'for your account at Guildhall' = 'was changed',
  ): Promise<string> {
    return until(async () => {
      const mails = await world.mails(email)
      const found = mails.find((mail) => mail.subject.endsWith(subject) && mail.text.includes('/undo-email-change#'))
      return /#token=(\S+)/.exec(found?.text ?? '')?.[1]
    }, `the way back for ${email}`)
  }

  async function subjects(email: string): Promise<string[]> {
    await queueIsDone(world.postgres)
    return (await world.mails(email)).map(({ subject }) => subject).sort()
  }

  async function entries(person: Person, action = 'email.*'): Promise<Json[]> {
    const rows = await query<Json>(
      `select e.action, e.actor_type as actor, d.details from audit_entries e
      join audit_details d on d.tenant_id = e.tenant_id and d.entry_id = e.id and d.user_id = $1
      where e.action like replace($2, '*', '%') order by e.id`,
      [person.id, action],
    )
    return rows
  }

  return { request, open, undo, signUp, signIn, linkTo, change, wayBack, subjects, entries }
}
