/**
 * Runs before the first paint and before the console's own code, which is long on its way: applies the color scheme that was chosen in
 * this browser, and asks for what every page asks first. On a path for signed-in users it also loads the code of their pages.
 *
 * It shares no module with the console, since it is a script of its own: paths and headers are those of api/base.ts and api/client.ts.
 */
try {
  const chosen = localStorage.getItem('mantine-color-scheme-value') // Mantine stores it there
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.mantineColorScheme = chosen
} catch {
  // No storage: the color scheme of the system applies.
}

const [, slug, path = ''] = /^(?:\/t\/([^/]+))?\/?([^/]*)/.exec(location.pathname) ?? []
/** Named by ../vite.config.ts. */
const inside = document.currentScript?.dataset.inside?.split(' ') ?? []
const isInside = ['', 'organizations', 'me', 'admin'].includes(path)
const tenant = get('/api/tenant', slug)
window.early = { '/api/tenant': tenant, ...(isInside && { '/api/users/me': tenant.then(getMe) }) }

/** @returns nothing if there was no response */
function get(url: string, named: string | undefined): Promise<Response | undefined> {
  const signal = AbortSignal.timeout(15_000) // as long as any read
  return fetch(url, { signal, headers: named === undefined ? {} : { 'guildhall-tenant': named } }).catch(
    () => undefined,
  )
}

/** Of the tenant of the page: the cookie may be of another tenant's session. */
async function getMe(response: Response | undefined): Promise<Response | undefined> {
  const body = response?.ok
    ? await response
        .clone()
        .json()
        .catch(() => undefined)
    : undefined
  const me = body && (await get('/api/users/me', body.slug))
  if (me?.ok) for (const file of inside) preload(file)
  return me
}

/** Like the tags that Vite adds when the first of these files is imported. */
function preload(file: string): void {
  const link = document.createElement('link')
  if (file.endsWith('.css')) Object.assign(link, { rel: 'preload', as: 'style' })
  else link.rel = 'modulepreload'
  Object.assign(link, { crossOrigin: '', href: `/assets/${file}` })
  document.head.append(link)
}
