/** The base path of the console. `/t/<slug>/` names the tenant; without it, the host does, or it is the default one. */

const [path, slug] = /^\/t\/([^/]+)/.exec(location.pathname) ?? []

/** The slug in the address, not decoded. */
export const tenantSlug: string | undefined = slug

/** Every path of the console begins with it: `/` or `/t/<slug>/`. */
export const basePath = path ? `${path}/` : '/'
