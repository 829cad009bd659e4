/** Addresses in pasted text: "ann@example.com, Ben <ben@example.com>; …". The API checks whether each is valid. */

/** @returns each address once, in the order of the text, including invalid ones */
export function findAddresses(text: string): string[] {
  const found = new Map<string, string>()
  for (const part of text.replace(/"[^"]*"/g, ' ').split(/[;\n\r]+/)) {
    for (const address of addressesOf(part)) found.set(address.toLowerCase(), address)
  }
  return [...found.values()]
}

/** If there are angle brackets, the words outside them are names, unless they contain an @. */
function addressesOf(part: string): string[] {
  const hasBrackets = /<[^<>]*>/.test(part)
  const words = part
    .replace(/<([^<>]*)>/g, (_all, inner: string) => ` ${inner.replace(/^mailto:/i, '').trim()} `)
    .split(/[\s,]+/)
    .map((word) => word.replace(/^mailto:/i, '').replace(/^[<>'(]+|[<>').]+$/g, ''))
    .filter((word) => word !== '')
  return hasBrackets ? words.filter((word) => word.includes('@')) : words
}
