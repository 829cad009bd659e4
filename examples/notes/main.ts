/** Starts Notes, with settings from the environment and data in `data/`. */
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createGuildhall, isGuildhallError } from '@guildhall/client'
import { eraseDeleted } from './erasure.ts'
import { bundlePage } from './files.ts'
import { openNotes } from './notes.ts'
import { closeServer, createNotesServer } from './server.ts'

const { GUILDHALL_URL = 'http://localhost:3000', NOTES_PORT = '4000' } = process.env
const { GUILDHALL_ADMIN_EMAIL: email, GUILDHALL_ADMIN_PASSWORD: password } = process.env
const day = 24 * 60 * 60 * 1000

const accounts = GUILDHALL_URL.replace(/\/+$/, '')
if (!/^https?:$/.test(URL.parse(accounts)?.protocol ?? ''))
  stop(`GUILDHALL_URL must be like http://localhost:3000; it is "${GUILDHALL_URL}".`)
const guildhall = createGuildhall({ url: accounts })
const data = join(import.meta.dirname, 'data')
mkdirSync(data, { recursive: true })
const notes = openNotes(join(data, 'notes.sqlite'))
const server = createNotesServer({ guildhall, accounts, notes, files: await bundlePage(accounts) })

try {
  await once(server.listen(Number(NOTES_PORT), '127.0.0.1'), 'listening')
} catch (error) {
  stop(`Choose another NOTES_PORT: ${error instanceof Error ? error.message : error}`)
}
// Ctrl-C sends the signal twice: from the terminal, and from npm or another launcher.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => server.listening && end())

const origin = `http://localhost:${NOTES_PORT}`
console.log(`\nNotes is running at ${origin}, with the accounts of ${accounts}.`)
console.log(`Allow its page to call Guildhall: guildhall tenant update default --origin ${origin}`)

if (email && password) {
  const erase = () =>
    eraseDeleted(guildhall, { email, password }, notes).catch((error) =>
      console.error('No notes were erased.', isGuildhallError(error) ? error.message : error),
    )
  setInterval(erase, day).unref()
  await erase()
} else
  console.log('Notes of deleted accounts and organizations stay: erasing them needs an admin of Guildhall (README.md).')

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
