/** Starts Notes, with settings from the environment and from `.env`, and data in `data/`. */
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createGuildhall, isGuildhallError } from '@guildhall/client'
import { eraseDeleted } from './erasure.ts'
import { bundlePage } from './files.ts'
import { openNotes } from './notes.ts'
import { closeServer, createNotesServer } from './server.ts'
import { openSignIn } from './sign-in.ts'

const settings = join(import.meta.dirname, '.env')
if (existsSync(settings)) process.loadEnvFile(settings)
const { ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, GUILDHALL_KEY: key } = process.env
const { NOTES_PORT = '4000', NOTES_URL = `http://localhost:${NOTES_PORT}` } = process.env
const day = 24 * 60 * 60 * 1000

if (!issuer || !clientId || !clientSecret)
  stop('Set ISSUER, CLIENT_ID and CLIENT_SECRET in examples/notes/.env. The README says which command prints them.')
if (!URL.canParse(issuer)) stop(`ISSUER must be what the command has printed after “Issuer”; it is "${issuer}".`)
const origin =
  URL.parse(NOTES_URL)?.origin ?? stop(`NOTES_URL must be like http://localhost:4000; it is "${NOTES_URL}".`)
const signIn = await openSignIn({ issuer, clientId, clientSecret }, origin).catch((error) =>
  stop(`Guildhall does not answer at ${issuer}. Does it run, and is ISSUER right? (${error.message})`),
)
const data = join(import.meta.dirname, 'data')
mkdirSync(data, { recursive: true })
const notes = openNotes(join(data, 'notes.sqlite'))
const guildhall = createGuildhall({ url: signIn.api })
const server = createNotesServer({ origin, guildhall, signIn, notes, files: await bundlePage(signIn.accounts) })

try {
  await once(server.listen(Number(NOTES_PORT), '127.0.0.1'), 'listening')
} catch (error) {
  stop(`Choose another NOTES_PORT: ${error instanceof Error ? error.message : error}`)
}
// Ctrl-C sends the signal twice: from the terminal, and from npm or another launcher.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => server.listening && end())

console.log(`\nNotes is running at ${origin}. People sign in at ${signIn.accounts}.`)

if (key) {
  const erase = () =>
    eraseDeleted(createGuildhall({ url: signIn.api, key }), notes).catch((error) =>
      console.error('No notes were erased.', isGuildhallError(error) ? error.message : error),
    )
  setInterval(erase, day).unref()
  await erase()
} else console.log('Notes of deleted accounts and organizations stay: erasing them needs GUILDHALL_KEY (README.md).')

async function end(): Promise<void> {
  await closeServer(server)
  notes.close()
  process.exit()
}

/** Ends with an error that the operator can correct. */
function stop(reason: string): never {
  console.error(`notes: ${reason}`)
  process.exit(1)
}
