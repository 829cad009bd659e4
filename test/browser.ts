/**
 * A browser for tests of the console: a real Chromium on the real service.
 *
 * A fault on a page fails the test that opened it: an uncaught error, a violation of the Content-Security-Policy, a request to another
 * origin, a warning of React.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { after, type TestContext } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { buildConsole } from '../console/build.ts'
import { findChromium } from './chromium.ts'
import { freePort } from './ports.ts'
import { timeout } from './timeout.ts'
import { createWorld, type Person, password, type World, type WorldOptions } from './world.ts'

export interface TabOptions {
  /** The signed-in person. */
  readonly person?: Person
  /** The slug of a tenant; by default the default one. */
  readonly tenant?: string
  /** In CSS pixels; 1440 by default. */
  readonly width?: number
  readonly scheme?: 'light' | 'dark'
  /** The language of the browser; `en-GB` by default. */
  readonly locale?: string
  /** Other origins that the browser may visit. */
  readonly visits?: string | readonly string[]
}

/** A tab in a browser profile of its own. */
export interface Tab {
  readonly page: Page
  readonly context: BrowserContext
  /** Opens a path of the console, like `/me`. */
  open(path: string): Promise<void>
  /** Opens the link to a page in the newest mail to an address, on this service. */
  openMailed(email: string, page: string): Promise<void>
  /**
   * Presses a key when the focus is where the page wants it, and waits for where the key moves it: Mantine moves it in timers, and Chromium
   * puts timers off after a key or a click.
   */
  press(key: string): Promise<void>
  /** Pastes a text into the field that has the focus. */
  paste(text: string): Promise<void>
  /** Shows the filters of a short list, which are behind a button. */
  showFilters(): Promise<void>
  /** Closes the open menu by the Escape key, which it hears once it has the focus: a moment after it is shown. */
  closeMenu(): Promise<void>
  /** Goes on as somebody else, or as nobody: as in a new browser, but with the console's files, which take longest to load. */
  become(person?: Person): Promise<void>
  /** Checks the present page against WCAG 2.2 A and AA and good practice, in light and dark mode (axe-core), and for words that no page has. */
  check(): Promise<void>
}

export interface ConsoleWorldOptions extends WorldOptions {
  /** Pages are opened at `localhost`, where they may use passkeys: an IP address has none. */
  readonly isLocalhost?: boolean
}

export interface ConsoleWorld extends World {
  /** @param t the test that uses the tab; at its end the tab closes, and faults on the page fail it */
  tab(t: TestContext, options?: TabOptions): Promise<Tab>
}

/**
 * Scripts are interpreted or compiled simply: a page of a test is soon left, and to optimize its code takes longer than the code. With more
 * room for new objects, the garbage collector runs less often.
 */
const scripts = '--js-flags=--no-maglev,--no-opt,--min-semi-space-size=16'

/** The world of a test file, with a worker, the console and Chromium. Call it once, at the top. */
export async function createConsoleWorld({
  isLocalhost = false,
  ...options
}: ConsoleWorldOptions = {}): Promise<ConsoleWorld> {
  await buildConsole()
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', scripts], timeout })
  // Before the world: Chromium opens connections without a need, and never closes them, while the world waits for their end.
  after(() => browser.close())
  const port = await freePort()
  const localhost = `http://localhost:${port}`
  const settings = isLocalhost ? { PUBLIC_URL: localhost, ...options.settings } : (options.settings ?? {})
  const world = await createWorld({ worker: true, ...options, port, settings })
  const origin = isLocalhost ? localhost : world.url
  const idle: Page[] = []
  return Object.assign(world, {
    tab: (t: TestContext, tab: TabOptions = {}) => openTab(t, world, origin, browser, idle, tab),
  })
}

/** Runs in the browser: whether a test has used `page.clock`. All later pages of its context have that clock too. */
const hasOwnClock = `!String(setInterval).includes('[native code]')`

/** @param idle pages that no test uses now. They keep only the console's files, which take longest to load. */
async function openTab(
  t: TestContext,
  world: World,
  origin: string,
  browser: Browser,
  idle: Page[],
  { person, tenant, width = 1440, scheme = 'light', locale, visits = [] }: TabOptions,
): Promise<Tab> {
  const page = (locale === undefined && idle.pop()) || (await newPage(browser, origin, locale))
  const context = page.context()
  if (person) await context.addCookies(await cookiesOf(world, origin, person, tenant))
  await page.setViewportSize({ width, height: width < 600 ? 844 : 900 })
  await page.emulateMedia({ colorScheme: scheme })
  const wrong = listen(page, [origin, ...[visits].flat()])
  t.after(async () => {
    page.removeAllListeners()
    await context.setOffline(false)
    await context.unrouteAll({ behavior: 'wait' })
    await page.unrouteAll({ behavior: 'wait' })
    await forget(page)
    if (locale === undefined && !(await page.evaluate(hasOwnClock))) idle.push(page)
    assert.deepEqual(wrong, [], 'what went wrong in the browser')
  })
  const base = tenant === undefined ? '' : `/t/${tenant}`
  const open = async (path: string) => {
    await page.goto(base + path)
    await page.locator('h1').waitFor()
  }
  return {
    page,
    context,
    open,
    async become(next) {
      await forget(page)
      if (next) await context.addCookies(await cookiesOf(world, origin, next, tenant))
    },
    async openMailed(email, name) {
      await open(`/${name}#token=${await world.mailedToken(email, name, tenant)}`)
    },
    async press(key) {
      await page.evaluate(timersEnd)
      await page.keyboard.press(key)
      // If the key leads to another page, the timers of this one end.
      await page.evaluate(timersEnd).catch((error: Error) => {
        if (!error.message.includes('Execution context was destroyed')) throw error
      })
    },
    async paste(text) {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
      await context.clearPermissions()
      await page.keyboard.press('Control+V')
    },
    async showFilters() {
      await page.getByRole('button', { name: 'Filter', exact: true }).click()
    },
    async closeMenu() {
      await page.locator('[role=menu]:focus-within').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
    },
    async check() {
      await checkWords(page)
      await checkAccessibility(page, scheme)
    },
  }
}

/** Leaves the page, and forgets all but the console's files. */
async function forget(page: Page): Promise<void> {
  await page.goto('/pages/favicon.svg') // of the same origin, without scripts
  await page.evaluate('localStorage.clear(); sessionStorage.clear()')
  const context = page.context()
  await Promise.all(context.pages().map((each) => each !== page && each.close()))
  await context.clearCookies()
}

/**
 * Runs in the browser: a page waits as long as a test for a response, or for the outcome of a test of a webhook. These are the limits of
 * `api/client.ts`, `theme/opening.ts` and `webhooks/testing.tsx` in the console. They would pass while a test holds a response and looks
 * at the page, or while the machine is slow. A test that sets `page.clock` has the timers of that clock.
 */
const patience = `{
  const { setTimeout } = globalThis
  const limit = (delay) => ([15_000, 30_000, 35_000].includes(delay) ? ${timeout} : delay)
  globalThis.setTimeout = (act, delay, ...rest) => setTimeout(act, limit(delay), ...rest)
  const abort = AbortSignal.timeout.bind(AbortSignal)
  AbortSignal.timeout = (delay) => abort(limit(delay))
}`

/** A page in a profile of its own. */
async function newPage(browser: Browser, baseURL: string, locale = 'en-GB'): Promise<Page> {
  const context = await browser.newContext({
    baseURL,
    locale,
    timezoneId: 'Europe/Lisbon',
    // What fades has colours that are none of the theme's.
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(timeout)
  await context.addInitScript(patience)
  return context.newPage()
}

/** Signs in through the API, as the sign-in page does. */
async function cookiesOf(world: World, origin: string, { email }: Person, tenant: string | undefined) {
  const response = await fetch(`${world.url}/api/auth/sign-in`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'guildhall-session': 'cookie',
      'sec-fetch-site': 'same-origin',
      ...(tenant !== undefined && { 'guildhall-tenant': tenant }),
    },
    body: JSON.stringify({ email, password }),
  })
  assert.equal(response.status, 200, await response.text())
  return response.headers.getSetCookie().map((cookie) => {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    return { name, value, url: origin, httpOnly: true, sameSite: 'Lax' as const }
  })
}

/** The name of the account in the form of each password on a page. Password managers look a password up by it. */
export function namesBesidePasswords(page: Page): Promise<(string | undefined)[]> {
  type Field = { form: { querySelector(selector: string): { value: string } | null } | null }
  return page.locator('input[autocomplete=current-password], input[autocomplete=new-password]').evaluateAll((fields) =>
    (fields as unknown as Field[]) // of the browser, whose types tests do not have
      .map(({ form }) => form?.querySelector('input[autocomplete~=username]')?.value),
  )
}

/** What Chromium logs of each refusal, and of each request without a connection, or with one that ended before the response was whole. */
const expected =
  /^Failed to load resource: (the server responded with a status of 4\d\d|net::ERR_(INTERNET_DISCONNECTED|CONTENT_LENGTH_MISMATCH))/

/** @returns a list to which faults are added */
function listen(page: Page, origins: readonly string[]): string[] {
  const wrong: string[] = []
  page.on('pageerror', (error) => wrong.push(String(error)))
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return
    if (expected.test(message.text())) return
    wrong.push(message.text())
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!origins.some((origin) => url.startsWith(`${origin}/`)) && !/^(data|blob|about):/.test(url))
      wrong.push(`asked ${url}`)
  })
  return wrong
}

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Timers without a delay run in their order. */
const timersEnd = 'new Promise((resolve) => setTimeout(resolve))'

/** Those in a closed `<details>` stand still, and never end. */
const transitionsEnd = `Promise.allSettled(
  document.getAnimations()
    .filter((each) => each instanceof CSSTransition && each.effect.target.checkVisibility())
    .map(({ finished }) => finished),
).then(() => undefined)`

/** What a page says and names, without what people have typed and without the names of tenants. */
const wordsOfPage = `[document.title, document.body.innerText, ...[...document.querySelectorAll('*')].flatMap((each) =>
  ['aria-label', 'title', 'alt', 'placeholder'].map((name) => each.getAttribute(name) ?? ''))].join('\\n')`

/** URLs, scopes and options of commands, which programs read. */
const forPrograms = /\S*[/-]tenants?\b\S*|\btenants?:\S+/g

/** No page speaks of a tenant. */
async function checkWords(page: Page): Promise<void> {
  const words = String(await page.evaluate(wordsOfPage))
    .replaceAll(forPrograms, '')
    .replaceAll('Another Tenant', '')
  assert.doesNotMatch(words, /.*\btenants?\b.*/i)
}

/**
 * Checks a page as a tab's `check` does, without its words. Uses the debugger, because the pages' policy would refuse a script element.
 *
 * @param scheme what the page goes on with
 * @param accepted rules of axe that the page may break
 * @param schemes in which it is looked at
 */
export async function checkAccessibility(
  page: Page,
  scheme: 'light' | 'dark',
  accepted: readonly string[] = [],
  schemes: readonly ('light' | 'dark')[] = ['dark', 'light'],
): Promise<void> {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme })
    // Pages outside of the console have no attribute for it. The API reference has a class; others need not be waited for.
    const other = colorScheme === 'light' ? 'dark' : 'light'
    const isShown = `[data-mantine-color-scheme="${colorScheme}"], :root:not([data-mantine-color-scheme], :has(body.${other}-mode))`
    await page.locator(isShown).waitFor()
    // During a transition, colours are none of the theme's.
    await page.evaluate(transitionsEnd)
    if (await page.evaluate('globalThis.axe === undefined')) await page.evaluate(axe)
    // Of axe's checks, only those of colours depend on the scheme.
    const rules = colorScheme === 'light' ? [] : ['color-contrast']
    const violations = await page.evaluate(async (runOnly) => {
      type Axe = {
        run(
          context: { exclude: string[] },
          options: { runOnly?: string[]; iframes: boolean; preload: boolean },
        ): Promise<{ violations: Violation[] }>
      }
      const { axe } = globalThis as unknown as { axe: Axe } // the script above
      // Frames show mails, in which no script runs. Preloaded files are needed only by experimental rules, and cannot be fetched offline.
      const options = { ...(runOnly.length > 0 && { runOnly }), iframes: false, preload: false }
      // A tooltip is at the end of the page, outside of its landmarks, and there only while the pointer happens to be above something.
      return (await axe.run({ exclude: ['[role=tooltip]'] }, options)).violations
    }, rules)
    assert.deepEqual(
      violations
        .filter(({ id }) => !accepted.includes(id))
        .map(
          ({ id, nodes }) =>
            `${colorScheme} ${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`,
        ),
      [],
    )
  }
  await page.emulateMedia({ colorScheme: scheme })
}

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}
