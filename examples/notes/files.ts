/** Files: everything that the server serves as it is, held in memory. No other file can be requested. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'

export type Files = ReadonlyMap<string, { readonly type: string; readonly content: string }>

const folder = join(import.meta.dirname, 'page')

/** @param accounts the URL of Guildhall for browsers */
export async function bundlePage(accounts: string): Promise<Files> {
  const { output } = await build({
    input: join(folder, 'main.ts'),
    platform: 'browser',
    tsconfig: false,
    transform: { define: { GUILDHALL_URL: JSON.stringify(accounts) } },
    output: { minify: true },
    write: false,
  })
  const read = (name: string, type: string) => ({ type, content: readFileSync(join(folder, name), 'utf8') })
  return new Map([
    ['/', read('index.html', 'text/html; charset=utf-8')],
    ['/style.css', read('style.css', 'text/css; charset=utf-8')],
    ['/icon.svg', read('icon.svg', 'image/svg+xml')],
    ['/main.js', { type: 'text/javascript; charset=utf-8', content: output[0].code }],
  ])
}
