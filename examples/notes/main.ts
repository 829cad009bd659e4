/** Notes, started: its settings from the environment, its data in `data/`. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createGuildhall } from '@guildhall/client'
import { eraseDeleted } from './erasure.ts'
import { bundlePage } from './files.ts'
import { openNotes } from './notes.ts'
import { createNotesServer } from './server.ts'

const { GUILDHALL_URL = 'http://127.0.0.1:3000', NOTES_PORT = '4000' } = process.env
const { GUILDHALL_ADMIN_EMAIL: email, GUILDHALL_ADMIN_PASSWORD: password } = process.env
const day = 24 * 60 * 60 * 1000

const guildhall = createGuildhall({ url: GUILDHALL_URL })
const data = join(import.meta.dirname, 'data')
mkdirSync(data, { recursive: true })
const notes = openNotes(join(data, 'notes.sqlite'))
const server = createNotesServer({ guildhall, accounts: GUILDHALL_URL, notes, files: await bundlePage(GUILDHALL_URL) })

server.listen(Number(NOTES_PORT), '127.0.0.1', () => {
  const origin = `http://127.0.0.1:${NOTES_PORT}`
  console.log(`\nNotes is running at ${origin}, with the accounts of ${GUILDHALL_URL}.`)
  console.log(`Its page may ask there once it is named: guildhall tenant update default --origin ${origin}`)
})

if (email && password) {
  const erase = () => eraseDeleted(guildhall, { email, password }, notes).catch(console.error)
  setInterval(erase, day).unref()
  await erase()
} else console.log('Nothing is erased here when it is deleted there: that needs an admin of Guildhall (README.md).')

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    server.close(() => {
      notes.close()
      process.exit()
    })
  })
