/**
 * Runs before the first paint and before the console's own code, which is long on its way: applies the color scheme that was chosen in
 * this browser, and asks for what the page asks first.
 *
 * It shares no module with the console, since it is a script of its own: paths and headers are those of api/base.ts and api/client.ts, the
 * channel is that of sign-in/session.ts.
 */
try {
  const chosen = localStorage.getItem('mantine-color-scheme-value') // Mantine stores it there
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.mantineColorScheme = chosen
} catch {
  // No storage: the color scheme of the system applies.
}

const [, slug, path = ''] = /^(?:\/t\/([^/]+))?\/?([^/]*)/.exec(location.pathname) ?? []
const isInside = ['', 'organizations', 'me', 'admin'].includes(path)
const tenant = get('/api/tenant', slug)
window.early = {
  '/api/tenant': tenant,
  ...(isInside && { '/api/users/me': tenant.then(getMe).catch(() => undefined) }),
}

try {
  // Who signs in or out in another tab before the code is there is not who the response names.
  new BroadcastChannel('guildhall-session').onmessage = () => delete window.early?.['/api/users/me']
} catch {
  // No channel between tabs: each learns of it by its own requests.
}

/** Its header names the tenant for which it was asked. @returns nothing if there was no response */
async function get(url: string, named: string | undefined): Promise<Response | undefined> {
  const signal = AbortSignal.timeout(15_000) // as long as any read
  try {
    const response = await fetch(url, { signal, headers: named === undefined ? {} : { 'guildhall-tenant': named } })
    // Read at once: the limit is for the response, and the console's code may take longer.
    const early = new Response(await response.arrayBuffer(), response)
    if (named !== undefined) early.headers.set('guildhall-tenant', named)
    return early
  } catch {
    return undefined
  }
}

/** Of the tenant of the page: the cookie may be of another tenant's session. */
async function getMe(response: Response | undefined): Promise<Response | undefined> {
  if (!response?.ok) return undefined
  const { slug } = await response.clone().json()
  return get('/api/users/me', slug)
}
