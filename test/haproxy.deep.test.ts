/** HAProxy as docs/operate/haproxy.cfg configures it: before slow nodes, nodes of two releases, and nodes that read requests otherwise. */
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
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

/** A node of a release, which has no other release’s files. @returns its address, and what stops it */
async function startRelease(t: TestContext, release: string): Promise<{ at: string; stop(): void }> {
  const node = createServer(({ url = '' }, response) => {
    response.statusCode = url.startsWith('/assets/') && url !== `/assets/${release}.js` ? 404 : 200
    response.end(url === '/sign-in' ? `/assets/${release}.js` : release)
  })
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  const stop = () => {
    node.close()
    node.closeAllConnections()
  }
  t.after(stop)
  return { at: `127.0.0.1:${(node.address() as AddressInfo).port}`, stop } // listens on TCP
}

test('while two releases serve, a browser gets the files of its page, and another node if its own stops', {
  skip,
}, async (t) => {
  const nodes = { before: await startRelease(t, 'before'), next: await startRelease(t, 'next') }
  const port = await startHaproxy(t, 'haproxy.cfg', { GUILDHALL_1: nodes.before.at, GUILDHALL_2: nodes.next.at })
  const url = `http://127.0.0.1:${port}`
  const visit = (path: string, cookie = '') => fetch(url + path, { headers: { cookie } })
  const served = async (path: string, cookie = '') => (await visit(path, cookie)).text()
  await until(async () => (await served('/api/version').catch(() => '')) === 'next', 'both nodes')

  const browsers = new Map<string, string>()
  for (let visitor = 0; visitor < 20; visitor++) {
    const page = await visit('/sign-in')
    const file = await page.text()
    const [set = ''] = page.headers.getSetCookie()
    assert.match(set, /^GUILDHALL_NODE=\w+; path=\/; HttpOnly; SameSite=Lax$/)
    const cookie = set.replace(/;.*/, '')
    browsers.set(file, cookie)
    for (const path of [file, '/api/users/me']) {
      const answer = await visit(path, cookie)
      assert.deepEqual([answer.status, answer.headers.getSetCookie()], [200, []], `${path} of ${file}`)
    }
  }
  const cookie = browsers.get('/assets/before.js')
  assert.ok(cookie && browsers.has('/assets/next.js'), 'pages come from both nodes')

  const calls = await Promise.all(Array.from({ length: 20 }, () => visit('/api/version')))
  assert.deepEqual(new Set(await Promise.all(calls.map((call) => call.text()))), new Set(['before', 'next']))
  assert.ok(
    calls.every((call) => call.headers.getSetCookie().length === 0),
    'a program gets no cookie',
  )

  nodes.before.stop()
  assert.equal(await served('/api/users/me', cookie), 'next')
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
