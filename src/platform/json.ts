/** JSON from outside. The console imports this file, so it imports nothing. */

/**
 * @param text JSON
 * @returns what it says. A number that we could not give back as it was written (RFC 8259, 6: most software has only doubles) is NaN, which no
 *   check lets pass
 * @throws SyntaxError, or RangeError for what is nested too deep
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, written?: { readonly source: string }) =>
    typeof value === 'number' && written && !isExact(value, written.source) ? Number.NaN : value,
  )
}

/** Whether a number is the one that was written, and not one near it: 0.1, 1e21 and 1.50 are, 9007199254740993, 1e400 and -0 are not. */
export function isExact(value: number, source: string): boolean {
  return Number.isFinite(value) && decimalOf(source) === decimalOf(JSON.stringify(value))
}

/** A number in the one form that it shares with all that are equal to it; -0 has its own. */
function decimalOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  let end = digits.length
  while (digits[end - 1] === '0') end-- // a pattern for zeros at the end would try at each zero before
  const significant = digits.slice(0, end)
  if (significant === '') return `${sign}0`
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}
