/** Programs: other processes, which end with this one. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../test/ports.ts'

/** A server in a process of its own. */
export interface Server {
  readonly pid: number
  readonly port: number
  stop(): Promise<void>
}

/** @throws Error with the program's output if it fails */
export async function run(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${said}`)
  return said
}

/**
 * Starts a script of ours as a server in production, and waits until it is ready. Its logs go to /dev/null, so that nobody reads or stores
 * them; its errors appear here.
 *
 * @param ready a path that answers 200 when the server is ready
 */
export async function startServer(
  [script, ...args]: readonly [string, ...string[]],
  ready: string,
  env: Record<string, string>,
): Promise<Server> {
  const port = await freePort()
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'], // the child ends if this process does
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', PORT: String(port), ...env },
  })
  const ended = once(child, 'exit')
  await awaitReady(child, `http://127.0.0.1:${port}${ready}`)
  return {
    pid: child.pid as number, // it runs
    port,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Waits until a server answers 200. */
export async function awaitReady(child: ChildProcess, url: string): Promise<void> {
  for (;;) {
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => undefined,
    )
    if (status === 200) return
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}.`)
    await setTimeout(5)
  }
}
