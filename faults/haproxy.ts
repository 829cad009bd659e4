/** HAProxy, configured by a file of docs/operate as it is. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from '../test/ports.ts'
import { root } from '../test/processes.ts'

/** @returns what a scenario says if HAProxy is missing; where CI is true, it fails instead */
export function withoutHaproxy(): string | undefined {
  if (spawnSync('haproxy', ['-v']).status === 0) return undefined
  const missing = 'haproxy is missing (Debian: apt-get install haproxy)'
  assert.notEqual(process.env.CI, 'true', missing)
  return `SKIPPED: ${missing}`
}

/**
 * @param file in docs/operate
 * @param env the file's variables, but for LISTEN
 * @returns the port where it listens
 */
export async function startHaproxy(
  t: TestContext,
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const port = await freePort()
  const proxy = spawn('haproxy', ['-db', '-f', join(root, 'docs/operate', file)], {
    env: { PATH: process.env.PATH, LISTEN: `127.0.0.1:${port}`, ...env },
    stdio: 'ignore',
  })
  t.after(async () => {
    proxy.kill()
    if (proxy.exitCode === null) await once(proxy, 'exit')
  })
  return port
}
