/** Two services behind HAProxy, configured as in docs/operate/nodes.md. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePort, root } from '../test/processes.ts'
import { until } from '../test/smtp.ts'
import { send } from './requests.ts'
import { raise, stopInTurn } from './stage.ts'

/** Each service is stopped and restarted while requests come through the proxy without a pause: all are answered. */
export async function restartedBehindProxy(t: TestContext, rounds = 2): Promise<string> {
  if (spawnSync('haproxy', ['-v']).status !== 0) {
    assert.notEqual(process.env.CI, 'true', 'haproxy is missing (Debian: apt-get install haproxy)')
    return 'SKIPPED: haproxy is missing (Debian: apt-get install haproxy)'
  }
  const stage = await raise(t, { services: 2, env: { TRUST_PROXY: '127.0.0.1', SHUTDOWN_DELAY: '3' } })
  const { journal } = stage
  const nodes = journal.urls.splice(0).map((url) => new URL(url).host)
  const place = `127.0.0.1:${await freePort()}`
  const proxy = spawn('haproxy', ['-db', '-f', join(root, 'docs/operate/haproxy.cfg')], {
    env: { PATH: process.env.PATH, LISTEN: place, GUILDHALL_1: nodes[0], GUILDHALL_2: nodes[1] },
    stdio: 'ignore',
  })
  t.after(async () => {
    proxy.kill()
    if (proxy.exitCode === null) await once(proxy, 'exit')
  })
  const url = `http://${place}`
  const ready = { method: 'GET', path: '/readyz' }
  await until(async () => (await send(url, ready).catch(() => undefined))?.status === 200, 'the proxy')
  journal.urls.push(url)
  return stopInTurn(stage, rounds, 2_500) // the proxy checks each second which ones are ready
}
