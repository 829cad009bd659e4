import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { execPath } from 'node:process'
import { test } from 'node:test'
import { readDocument } from './documents.ts'
import { freePort } from './processes.ts'
import { Browser, createPublicWorld, register } from './relying-party.ts'
import { until } from './smtp.ts'
const world = await createPublicWorld()
const { blocks } = readDocument('docs/build/frameworks.md')
const apps = blocks.filter(({ text }) => text.startsWith('// app.mjs'))
for (const [i, name] of ['express', 'fastify'].entries())
  test(name, async (t) => {
    const port = await freePort()
    const home = `http://127.0.0.1:${port}`
    const dir = `/tmp/w/appdocs-fw/${name}`
    mkdirSync(dir, { recursive: true })
    const src = apps[i]!.text.replaceAll('http://localhost', 'http://127.0.0.1').replace('listen(4000)', `listen(${port})`).replace('port: 4000', `port: ${port}, host: '127.0.0.1'`)
    writeFileSync(`${dir}/app.mjs`, src)
    const { id, secret, issuer } = await register(world, { redirectUris: [`${home}/callback`], postLogoutUris: [`${home}/`], scopes: ['openid', 'profile', 'email'], backChannelLogoutUri: `${home}/back-channel` })
    const env = { ISSUER: issuer, CLIENT_ID: id, CLIENT_SECRET: `${secret}`, SESSION_SECRET: 'x'.repeat(40), HOME: home }
    const child = spawn(execPath, ['app.mjs'], { cwd: dir, env, stdio: ['ignore', 'inherit', 'inherit'] })
    t.after(() => child.kill())
    await until(() => fetch(home).then(Boolean, () => false), 'listen')
    const jar = new Map<string, string>()
    const send = async (path: string, method = 'GET') => {
      const r = await fetch(new URL(path, home), { method, redirect: 'manual', headers: { cookie: [...jar].map((p) => p.join('=')).join('; ') } })
      for (const c of r.headers.getSetCookie()) { const [, n = '', v = ''] = /^([^=]+)=([^;]*)/.exec(c)!; jar.set(n, v) }
      return r
    }
    const signIn = async (browser: Browser) => {
      const r = await send('/sign-in')
      return new URL(r.headers.get('location')!)
    }
    const [ann, browser] = [await world.person(), new Browser(world)]
    const page = await browser.open(await signIn(browser))
    await browser.signIn(ann)
    const back = await browser.goOn(page)
    const r = await send(back.href)
    assert.equal(r.headers.get('location'), '/', `${r.status} ${await r.text()}`)
    const me = await (await send('/')).json()
    assert.equal(me.email, ann.email)
    console.log(name, 'signed in', me.sub, 'sid', me.sid)
    const out = await send('/sign-out', 'POST')
    assert.equal(out.status, 303)
    const page2 = await browser.open(out.headers.get('location')!)
    assert.equal(`${await browser.signOut(page2)}`, `${home}/`)
    console.log(name, 'signed out', await (await send('/')).text())
    // again, and the end elsewhere
    jar.clear()
    const [ben, b2] = [await world.person('Ben'), new Browser(world)]
    await b2.signIn(ben)
    const cancelled = await send('/callback?error=access_denied')
    assert.equal(cancelled.headers.get('location'), '/')
    await send((await b2.open(await signIn(b2))).href)
    const him = await (await send('/')).json()
    assert.equal(him.email, ben.email)
    if (name === 'express') {
      await ben.delete(`/api/users/me/devices/${him.sid}`)
      await until(async () => (await (await send('/')).json()) === null, 'the product to be told')
      console.log('express told of the end')
    }
  })
