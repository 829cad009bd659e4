/** Files: everything that the server serves as it is, held in memory. No other file can be requested. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'

export interface Files {
  /** The page for somebody who has signed in. */
  readonly desk: string
  /** The page for everybody else. @param search of its address, which may name a notice */
  welcome(search: URLSearchParams): string
  /** By their path. */
  readonly others: ReadonlyMap<string, { readonly type: string; readonly content: string }>
}

const folder = join(import.meta.dirname, 'page')
const notices = {
  ended: 'Your session has ended. Please sign in again.',
  failed: 'The sign-in did not work. Please try again.',
  unknown:
    'This sign-in was not begun in this browser, or the browser keeps no cookies. Allow cookies for this site, and sign in again.',
}

/** @param accounts the origin of Guildhall's pages, to which ours link */
export async function bundlePage(accounts: string): Promise<Files> {
  const { output } = await build({
    input: join(folder, 'main.ts'),
    platform: 'browser',
    tsconfig: false,
    transform: { define: { GUILDHALL_URL: JSON.stringify(accounts) } },
    output: { minify: true },
    write: false,
  })
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const welcome = read('welcome.html')
  return {
    desk: read('desk.html'),
    welcome(search) {
      const notice = Object.entries(notices).find(([name]) => search.has(name))?.[1] ?? ''
      return welcome.replace('<div id="notice" role="status">', (tag) => tag + notice)
    },
    others: new Map([
      ['/style.css', { type: 'text/css; charset=utf-8', content: read('style.css') }],
      ['/icon.svg', { type: 'image/svg+xml', content: read('icon.svg') }],
      ['/main.js', { type: 'text/javascript; charset=utf-8', content: output[0].code }],
    ]),
  }
}
