/** Whether something may be an id of this kind (a TypeID): the API refuses what cannot be one. */
export function isId(kind: 'org' | 'user', id: unknown): id is string {
  return typeof id === 'string' && new RegExp(`^${kind}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(id)
}
