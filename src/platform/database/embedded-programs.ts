/** Running other programs, for the embedded database. No other file of the service does. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

/** Its message says what the operator can do about it. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError'
}

/** The user the database's programs run as; empty means ourselves. */
export interface Owner {
  uid?: number
  gid?: number
}

/** Runs a program to its end and answers what it printed; a failure's message is what it said of it. */
export async function run(file: string, args: string[], owner: Owner = {}): Promise<string> {
  const child = start(file, args, owner, 'pipe')
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const streams = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : ''))
  const [code, out = '', said = ''] = await Promise.all([ended, ...streams])
  if (code !== 0) throw new Error(said.trim() || `${file} ended with ${code}`)
  return out.trim()
}

/**
 * Starts a program in a session of its own, where a Ctrl-C in our terminal does not reach it, and with nothing of our
 * environment, which holds secrets and may hold settings (PGDATA, PGOPTIONS) meant for another PostgreSQL.
 */
export function start(file: string, args: string[], owner: Owner, output: 'pipe' | number): ChildProcess {
  const kept = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'TEMP'].map((name) => [name, process.env[name]])
  const env = { ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)), LC_ALL: 'C', TZ: 'UTC' }
  return spawn(file, args, { ...owner, env, cwd: '/', detached: true, stdio: ['ignore', output, output] })
}

/** The command line of a process, undefined if there is none. */
export async function findCommand(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux')
    return await run('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).catch(() => undefined)
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return undefined
  }
}
