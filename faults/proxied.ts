/** Two services behind HAProxy, configured as in docs/operate/nodes.md. */
import type { TestContext } from 'node:test'
import { until } from '../test/smtp.ts'
import { startHaproxy, withoutHaproxy } from './haproxy.ts'
import { send } from './requests.ts'
import { raise, stopInTurn } from './stage.ts'

/** Each service is stopped and restarted while requests come through the proxy without a pause: all are answered. */
export async function restartedBehindProxy(t: TestContext, rounds = 2): Promise<string> {
  const skipped = withoutHaproxy()
  if (skipped) return skipped
  const stage = await raise(t, { services: 2, env: { TRUST_PROXY: '127.0.0.1', SHUTDOWN_DELAY: '3' } })
  const { journal } = stage
  const [first = '', second = ''] = journal.urls.splice(0).map((url) => new URL(url).host)
  const port = await startHaproxy(t, 'haproxy.cfg', { GUILDHALL_1: first, GUILDHALL_2: second })
  const url = `http://127.0.0.1:${port}`
  const ready = { method: 'GET', path: '/readyz' }
  await until(async () => (await send(url, ready).catch(() => undefined))?.status === 200, 'the proxy')
  journal.urls.push(url)
  return stopInTurn(stage, rounds, 2_500) // the proxy checks each second which ones are ready
}
