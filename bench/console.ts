/**
 * The console's weight: what a browser loads for a page and how soon it shows it, with an empty cache, on a slow phone.
 *
 * Each visit has a browser profile of its own. Chromium's debugger slows the network and the processor down.
 */
import { chromium } from 'playwright-core'
import { buildConsole } from '../console/build.ts'
import { median } from './results.ts'
import { post, startService } from './service.ts'

/** 1.6 Mbit/s, 150 ms for a round trip, and a quarter of the processor. */
const slow = { latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000, slowdown: 4 } as const

export interface PageWeight {
  readonly page: string
  readonly requests: number
  /** As sent, with headers. */
  readonly bytes: number
  /** From the navigation to the largest contentful paint, in milliseconds: the median of the visits. */
  readonly lcp: number
  /** The most layout shift of a visit: on a phone, and in a window 1440 pixels wide. */
  readonly shifts: { readonly phone: number; readonly desktop: number }
}

export interface ConsoleResults {
  readonly date: string
  readonly visits: number
  readonly pages: readonly PageWeight[]
}

type Visit = Pick<PageWeight, 'requests' | 'bytes' | 'lcp'> & { readonly shift: number }

const password = 'a long enough passphrase'

/** @param visits of each page */
export async function measureConsole(visits: number): Promise<ConsoleResults> {
  const { findChromium } = await import('../test/chromium.ts') // without Chromium, this ends the process
  await buildConsole()
  const service = await startService()
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] })
  try {
    const { cookies, places } = await settle(service)
    const visit = async (path: string, width: number): Promise<Visit> => {
      const context = await browser.newContext({ baseURL: service.url, viewport: { width, height: 844 } })
      if (path !== '/sign-in' && path !== '/sign-up') await context.addCookies(cookies)
      const page = await context.newPage()
      const debug = await context.newCDPSession(page)
      const { slowdown, ...network } = slow
      await debug.send('Network.enable')
      await debug.send('Network.emulateNetworkConditions', { offline: false, ...network })
      await debug.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
      let [requests, bytes] = [0, 0]
      debug.on('Network.requestWillBeSent', () => void requests++)
      debug.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength
      })
      await page.goto(path)
      await page.locator('h1').waitFor()
      await page.waitForLoadState('networkidle')
      const { lcp, shift } = await page.evaluate<Pick<Visit, 'lcp' | 'shift'>>(readPaint)
      await context.close()
      return { requests, bytes, lcp, shift }
    }
    const pages: PageWeight[] = []
    for (const [name, path] of places) {
      const seen: Record<'phone' | 'desktop', Visit[]> = { phone: [], desktop: [] }
      for (let round = 0; round < visits; round++) {
        seen.phone.push(await visit(path, 390))
        seen.desktop.push(await visit(path, 1440))
      }
      const { phone, desktop } = seen
      const most = (of: Visit[], what: (visit: Visit) => number) => Math.max(...of.map(what))
      pages.push({
        page: name,
        requests: most(phone, ({ requests }) => requests),
        bytes: most(phone, ({ bytes }) => bytes),
        lcp: median(phone.map(({ lcp }) => lcp)),
        shifts: { phone: most(phone, ({ shift }) => shift), desktop: most(desktop, ({ shift }) => shift) },
      })
      console.log(name.padEnd(30), JSON.stringify(pages.at(-1)))
    }
    return { date: new Date().toISOString().slice(0, 19), visits, pages }
  } finally {
    await browser.close()
    await service.stop()
  }
}

/** Runs in the browser. If there was no such entry, the observer says nothing. */
const readPaint = `(async () => {
  const observe = (type) => new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type, buffered: true })
    setTimeout(() => resolve([]), 500)
  })
  const [paints, shifts] = await Promise.all(['largest-contentful-paint', 'layout-shift'].map(observe))
  const shift = shifts.reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0)
  return { lcp: paints.at(-1)?.startTime ?? 0, shift }
})()`

/** An admin in an organization with members and invitations. @returns the cookies of the session, and the pages by their names */
async function settle({ url, query }: Awaited<ReturnType<typeof startService>>) {
  const email = 'ada@example.com'
  await post(`${url}/api/auth/sign-up`, { email, password, name: 'Ada Admin' }, 201)
  await query(`update users set role = 'admin', email_verified = true`)
  const response = await fetch(`${url}/api/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'guildhall-session': 'cookie', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email, password }),
  })
  if (!response.ok) throw new Error(`signing in answered ${response.status}`)
  const cookies = response.headers.getSetCookie().map((cookie) => {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    return { name, value, url, httpOnly: true, sameSite: 'Lax' as const }
  })
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie }
  const send = async (path: string, body: object): Promise<{ id: string; slug: string }> => {
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return answer.json() as Promise<{ id: string; slug: string }> // organizations have both
  }
  const { id, slug } = await send('/api/organizations', { name: 'Acme' })
  for (let index = 0; index < 12; index++)
    await send(`/api/organizations/${id}/invites`, { email: `guest-${index}@example.com` })
  const places = [
    ['Sign-in', '/sign-in'],
    ['Sign-up', '/sign-up'],
    ['Organizations', '/organizations'],
    ['Overview of an organization', `/organizations/${slug}`],
    ['Members', `/organizations/${slug}/members`],
    ['Activity of an organization', `/organizations/${slug}/activity`],
    ['Settings of an organization', `/organizations/${slug}/settings`],
    ['Profile', '/me'],
    ['Security', '/me/security'],
    ['Devices', '/me/devices'],
    ['Users', '/admin/users'],
    ['Settings of all', '/admin/settings'],
  ] as const
  return { cookies, places }
}
