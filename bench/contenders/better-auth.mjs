/**
 * better-auth with its organization and admin plugins, as its documentation says for production: a secret, a base URL, PostgreSQL by a
 * pool of `pg` with joins, its own migration (which makes the indexes that its guide to performance lists), on Node's own server by its
 * own handler. Plain JavaScript, since its types are installed for this benchmark alone.
 *
 *   node bench/contenders/better-auth.mjs migrate     makes its schema
 *   node bench/contenders/better-auth.mjs hash <password>
 *   node bench/contenders/better-auth.mjs             serves
 */
import { createServer } from 'node:http'
import { betterAuth } from 'better-auth'
import { hashPassword } from 'better-auth/crypto'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { admin, organization } from 'better-auth/plugins'
import { Pool } from 'pg'

const { DATABASE_URL, PORT = '3000', BETTER_AUTH_SECRET } = process.env

const pool = new Pool({ connectionString: DATABASE_URL })
const auth = betterAuth({
  baseURL: `http://127.0.0.1:${PORT}`,
  secret: BETTER_AUTH_SECRET,
  database: pool,
  emailAndPassword: { enabled: true },
  // A session is looked up at each request, so that one that was ended is refused by the next: what the service does too.
  session: { cookieCache: { enabled: false } },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  advanced: { database: { joins: true } },
  plugins: [
    organization({
      // The service's own limits.
      organizationLimit: 100,
      invitationLimit: 1_000,
      membershipLimit: 100_000,
      invitationExpiresIn: 7 * 86_400,
      requireEmailVerificationOnInvitation: true,
      sendInvitationEmail: async () => {}, // nothing is sent, nor queued
    }),
    admin(),
  ],
})

const [command, text = ''] = process.argv.slice(2)
if (command === 'migrate') {
  const { runMigrations } = await getMigrations(auth.options)
  await runMigrations()
  await pool.end()
} else if (command === 'hash') {
  process.stdout.write(await hashPassword(text))
  await pool.end()
} else {
  createServer(toNodeHandler(auth)).listen(Number(PORT), '127.0.0.1')
  process.on('disconnect', () => process.exit())
}
