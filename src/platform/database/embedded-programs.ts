/** Runs other programs, for the embedded database. No other file of the service starts programs. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

/** The embedded database cannot be used. The message says what the operator can do. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError'
}

/** The system user that runs the database's programs. Empty: our own user. */
export interface Owner {
  uid?: number
  gid?: number
}

/** Runs a program to its end. @returns its stdout, trimmed @throws Error with its stderr, when it fails */
export async function run(file: string, args: string[], owner: Owner = {}): Promise<string> {
  const child = start(file, args, owner, 'pipe')
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const streams = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : ''))
  const [code, stdout = '', stderr = ''] = await Promise.all([ended, ...streams])
  if (code !== 0) throw new Error(stderr.trim() || `${file} ended with ${code}`)
  return stdout.trim()
}

/**
 * Starts a program in a new session, so that Ctrl-C in our terminal does not reach it. It gets almost nothing of our environment, which
 * contains secrets and may contain settings (PGDATA, PGOPTIONS) for another PostgreSQL.
 */
export function start(file: string, args: string[], owner: Owner, output: 'pipe' | number): ChildProcess {
  const inherited = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'TEMP'].map((name) => [name, process.env[name]])
  const env = { ...Object.fromEntries(inherited.filter(([, value]) => value !== undefined)), LC_ALL: 'C', TZ: 'UTC' }
  return spawn(file, args, { ...owner, env, cwd: '/', detached: true, stdio: ['ignore', output, output] })
}

/** @returns the command line of a process; undefined if there is no such process */
export async function findCommand(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux')
    return await run('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).catch(() => undefined)
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return undefined
  }
}
