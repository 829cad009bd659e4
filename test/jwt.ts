/** The parts of a JSON Web Token, unverified. */
import type { Json } from './json.ts'

export function partsOf(token: string): { readonly header: Json; readonly claims: Json } {
  const [header, claims] = token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
  return { header, claims }
}
