/**
 * npm run dev: the service, restarted when its code changes, behind Vite's server with hot reload. Links in mails and in the terminal lead
 * to Vite's server.
 *
 *   npm run dev              the console on port 5173
 *   npm run dev -- <port>    on another port
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { serveConsole } from '../console/build.ts'
import { ConfigError, loadConfig } from '../src/platform/settings/config.ts'

const root = join(import.meta.dirname, '..')
const port = Number(process.argv[2] ?? 5173)
const address = `http://localhost:${port}`

try {
  process.env.PUBLIC_URL = address
  const { host, port: own } = loadConfig()
  const vite = await serveConsole(port, `http://${host.includes(':') ? `[${host}]` : host}:${own}`)
  console.log(`\nThe console is at ${address}/, with hot reload. The lines below come from the service.`)
  await runService()
  await vite.close()
} catch (error) {
  const isForeseen = error instanceof ConfigError || (error instanceof Error && / already in use/.test(error.message))
  console.error(isForeseen ? `guildhall: ${error.message}` : error)
  process.exitCode = 1
}
process.channel?.unref()

/** Runs the service until it ends, or until this process is asked to stop. */
async function runService(): Promise<void> {
  const service = spawn(process.execPath, ['--watch', '--watch-preserve-output', join(root, 'src/main.ts'), 'serve'], {
    stdio: 'inherit',
  })
  // Ctrl-C in a terminal reaches the service directly too; a second signal does no harm.
  const stop = () => service.kill()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) process.on(signal, stop)
  await once(service, 'exit')
}
