/** Whether a value has the form of an id of this kind (a TypeID). The API refuses any other form. */
export function isId(kind: 'org' | 'user', id: unknown): id is string {
  return typeof id === 'string' && new RegExp(`^${kind}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(id)
}
