export const tenants = {} as const
