/** Spellings: tokens that a decoder of base64url may take for another one, since it ignores the last bits of the last character. */

const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** @returns the token with each other last character */
export function alike(token: string): string[] {
  return [...characters].map((last) => token.slice(0, -1) + last).filter((each) => each !== token)
}
