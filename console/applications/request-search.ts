/** The query of pages to which an application sends a browser: what it has asked, sealed by the API. */

export function readRequestSearch({ request }: Record<string, unknown>): { readonly request?: string } {
  return typeof request === 'string' ? { request } : {}
}
