/**
 * better-auth with its organization, admin and passkey plugins, configured as its documentation says for production: a secret, a base URL,
 * PostgreSQL by a pool of `pg` with joins, its own migration (with the indexes of its performance guide), on Node's own server with its own
 * handler. Plain JavaScript, because its types are installed only for this benchmark.
 *
 *   node bench/contenders/better-auth.mjs migrate     creates its schema
 *   node bench/contenders/better-auth.mjs hash <password>
 *   node bench/contenders/better-auth.mjs             serves
 */
import { createServer } from 'node:http'
import { passkey } from '@better-auth/passkey'
import { betterAuth } from 'better-auth'
import { hashPassword } from 'better-auth/crypto'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { admin, organization } from 'better-auth/plugins'
import { Pool } from 'pg'
import { origin, site } from '../passkeys.ts'

const { DATABASE_URL, PORT = '3000', BETTER_AUTH_SECRET } = process.env

const pool = new Pool({ connectionString: DATABASE_URL })
const auth = betterAuth({
  baseURL: `http://127.0.0.1:${PORT}`,
  secret: BETTER_AUTH_SECRET,
  database: pool,
  emailAndPassword: { enabled: true },
  // The session is read at each request, so that an ended session is refused by the next one, as in the service.
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
      sendInvitationEmail: async () => {}, // mails are neither sent nor queued
    }),
    admin(),
    passkey({ rpID: site.rpId, origin }),
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
