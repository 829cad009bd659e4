/**
 * The people of docs/build: makes Ann, Bob, Cleo and Dan, with Ann's organization Acme, on a service on this machine, and prints for a
 * shell what the commands of these pages need. If they are there already, it signs Ann in again.
 *
 *   eval "$(node examples/people.mjs 'http://localhost:3000/mailbox#…')"
 *
 * `npm start` prints the address of the mailbox.
 */
const [address = ''] = process.argv.slice(2)
if (!/^https?:\/\/[^/]+\/mailbox#./.test(address)) {
  console.error(`usage: node examples/people.mjs '<the address of the mailbox, which npm start prints>'`)
  process.exit(2)
}
const { origin, hash } = new URL(address)
const mailboxKey = hash.slice(1)
const password = 'a long enough passphrase'

const [ann, bob, cleo] = await Promise.all(['Ann', 'Bob', 'Cleo', 'Dan'].map(enter))
const { status } = await send('POST', '/api/organizations', ann, { name: 'Acme', slug: 'acme' }, 409)
if (status === 201) {
  await join(bob, 'bob@example.com', 'admin')
  await join(cleo, 'cleo@example.com', 'member')
}
console.log(`export TOKEN=${ann} MAILBOX_KEY=${mailboxKey}`)

/** Signs somebody up, or in, and verifies the address. @returns the token of the session; none of Dan, once he has an authenticator app */
async function enter(name) {
  const email = `${name.toLowerCase()}@example.com`
  const made = await send('POST', '/api/auth/sign-up', undefined, { email, password, name }, 409)
  const signIn = () =>
    send('POST', '/api/auth/sign-in', undefined, { email, password }, name === 'Dan' ? 403 : undefined)
  const { status, body } = made.status === 409 ? await signIn() : made
  if (status === 403) return undefined
  const { user, session } = body
  if (!user.emailVerified)
    await send('POST', '/api/auth/verify-email', session.token, { token: await linkMailedTo(email) })
  return session.token
}

/** Makes somebody a member of Acme, by an invitation of Ann's. */
async function join(token, email, role) {
  const { body } = await send('POST', '/api/organizations/acme/invites', ann, { email, role })
  await send('POST', `/api/invites/${body.id}/accept`, token)
}

/** The token of the link that verifies an address. Its mail comes a moment after the sign-up. */
async function linkMailedTo(email) {
  for (let attempt = 0; attempt < 300; attempt++) {
    const { body } = await send('GET', `/api/mailbox?limit=10&to=${encodeURIComponent(email)}`)
    const [, token] = /\/verify-email#token=(ghm_[\w.-]+)/.exec(body.data.map(({ text }) => text).join()) ?? []
    if (token) return token
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`no mail came to ${email}`)
}

/** @param expected a status that is no failure, besides a 2xx */
async function send(method, path, token, body, expected) {
  const headers = { 'Guildhall-Mailbox-Key': mailboxKey }
  if (token) headers.authorization = `Bearer ${token}`
  if (body) headers['content-type'] = 'application/json'
  const answer = await fetch(origin + path, { method, headers, body: body && JSON.stringify(body) })
  if (!answer.ok && answer.status !== expected)
    throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return { status: answer.status, body: await answer.json() }
}
