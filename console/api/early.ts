/** Responses to requests that theme/opening.ts has sent before the console's code was there. Each is taken once. */

const tenantHeader = 'guildhall-tenant'

declare global {
  interface Window {
    /** By the paths of the requests. */
    early?: Record<string, Promise<Response | undefined>>
  }
}

/** @returns nothing if no such request was sent, or for another tenant, or if it got no response: then it has to be sent */
export async function takeEarly({ method, url, headers }: Request): Promise<Response | undefined> {
  const { pathname, search } = new URL(url)
  if (method !== 'GET' || search !== '') return undefined
  const early = window.early?.[pathname]
  delete window.early?.[pathname]
  const response = await early
  return response?.headers.get(tenantHeader) === headers.get(tenantHeader) ? response : undefined
}
