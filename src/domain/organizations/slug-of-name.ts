/** The slug of a name. It imports nothing, for the console shows it while one types (console/organizations/new-details.tsx). */

/** What is written for letters that Unicode does not take apart. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
  ŧ: 't',
}

/** @returns a slug made from a name; empty where nothing of the name can be in one */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/\p{L}/gu, (letter) => letters[letter] ?? letter)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 41)
    .replace(/^-+|-+$/g, '')
  return slug.length >= 3 ? slug : ''
}
