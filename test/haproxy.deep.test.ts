/** HAProxy as docs/operate/haproxy.cfg configures it, before nodes whose database is slow, and between clients and a service that may read a request differently. */
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startHaproxy, withoutHaproxy } from '../faults/haproxy.ts'
import { until } from './smtp.ts'
import { smuggleThrough } from './smuggling.ts'
import { createWorld } from './world.ts'

const skip = withoutHaproxy()

test('HAProxy takes no node away whose /readyz is slow', { skip }, async (t) => {
  const checks = { answered: 0, cut: 0 }
  const node = createServer(({ url }, response) => {
    if (url === '/readyz') void answerSlowly(response)
    else response.end('served')
  })
  const answerSlowly = async (response: ServerResponse) => {
    response.once('close', () => checks[response.writableFinished ? 'answered' : 'cut']++)
    await setTimeout(1_500) // it takes two seconds at most
    response.end()
  }
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    node.closeAllConnections()
    node.close()
  })
  const at = `127.0.0.1:${(node.address() as AddressInfo).port}` // listens on TCP
  const port = await startHaproxy(t, 'haproxy.cfg', { GUILDHALL_1: at, GUILDHALL_2: at })

  // On a machine that stands still for a moment, HAProxy cuts one off, and the next one is answered.
  await until(() => checks.answered >= 2 || checks.cut >= 20, 'the checks of both nodes')

  assert.ok(checks.answered >= 2, 'HAProxy waits for the answer')
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'served')
})

test('behind HAProxy no request is taken for two, and each is answered as its own', { skip }, async (t) => {
  const world = await createWorld({
    settings: { TRUST_PROXY: '127.0.0.1', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'guildhall@example.com' },
  })
  const at = new URL(world.url).host
  const port = await startHaproxy(t, 'haproxy.cfg', { GUILDHALL_1: at, GUILDHALL_2: at })
  const url = `http://127.0.0.1:${port}`
  await until(
    async () => (await fetch(`${url}/livez`).catch(() => undefined))?.status === 200,
    'HAProxy to pass requests on',
  )

  await smuggleThrough(world, url)
})
