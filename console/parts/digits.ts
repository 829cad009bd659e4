/** Decimal digits of any script. A keyboard writes those of its language, such as ١٢٣ or १२३. */

const isDigit = (sign: string) => /^\p{Nd}$/u.test(sign)

/** A text with its decimal digits as 0 to 9. Other signs stay. */
export function withAsciiDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => String(numberOf(digit)))
}

/** Unicode has the digits of each script one after another, from its zero. Some scripts follow each other. */
function numberOf(digit: string): number {
  const at = digit.codePointAt(0) ?? 0
  let before = 0
  while (isDigit(String.fromCodePoint(at - before - 1))) before++
  return before % 10
}
