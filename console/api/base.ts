/** Base: where the console is, and so whose tenant it speaks for. Under `/t/<slug>/` it is that one, else the host's or the default one. */

const [path, slug] = /^\/t\/([^/]+)/.exec(location.pathname) ?? []

/** The slug of the tenant that the address names, as it stands there. */
export const tenantSlug: string | undefined = slug

/** What every path of the console begins with: `/` or `/t/<slug>/`. */
export const basePath = path ? `${path}/` : '/'
