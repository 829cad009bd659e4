/**
 * Templates: how our mails look, as text and as HTML. What they say is in the families that `kinds.ts` gathers.
 *
 * Invariant: names of people, organizations and tenants are inert in a mail: no control characters, no markup, and nothing that a
 * mail client would make a link of.
 */
import { type Accent, accentOf, greys, ourAccent, type Scheme } from '../../platform/colors.ts'

/** A mail before it has a recipient. In `text` and `html` the link is `linkMark`. */
export interface Composed {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The place of the link until the mail is sent or read. No name can hold it: control characters are refused in them. */
export const linkMark = '\u0001'

/** The place of a code, likewise. */
export const codeMark = '\u0002'

/** Whose mail it is. */
export interface Brand {
  readonly name: string
  readonly color: string | null
  /** A picture that mail programs fetch, or ask before they do. */
  readonly logoUrl: string | null
}

/** What a mail says. */
export interface Words {
  readonly subject: string
  readonly title: string
  readonly paragraphs: readonly string[]
  /** What the link is called; a mail without it has no link. */
  readonly action?: string
  /** Whether the mail tells a code. */
  readonly hasCode?: boolean
  readonly note: string
}

const { light, dark } = greys

export function compose(brand: Brand, { subject, title, paragraphs, action, hasCode = false, note }: Words): Composed {
  const link = action === undefined ? [] : [`${action}:\n${linkMark}`]
  const text = [title, ...paragraphs, ...(hasCode ? [codeMark] : []), ...link, note, `-- \n${inert(brand.name)}`].join(
    '\n\n',
  )
  const { accent, onAccent } = accentIn('light', brand)
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
${darkStyle(brand)}
</head>
<body class="ground" style="margin:0;padding:0;background:${light.ground};color:${light.ink};font:16px/1.5 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;table-layout:fixed;text-align:left">
<tr><td class="muted" style="padding:0 8px 16px;font-weight:600;color:${light.muted};overflow-wrap:anywhere">${logo(brand)}${escapeHtml(inert(brand.name))}</td></tr>
<tr><td class="card" style="padding:32px;background:${light.surface};border:1px solid ${light.line};border-radius:12px">
<h1 class="ink" style="margin:0 0 16px;font-size:22px;line-height:1.3;color:${light.ink};overflow-wrap:anywhere">${escapeHtml(title)}</h1>
${paragraphs.map((paragraph) => `<p class="ink" style="margin:0 0 24px;color:${light.ink};overflow-wrap:anywhere">${escapeHtml(paragraph)}</p>`).join('\n')}
${hasCode ? code : ''}${action === undefined ? '' : button(action, accent, onAccent)}<p class="muted" style="margin:0;font-size:14px;color:${light.muted}">${escapeHtml(note)}</p>
${action === undefined ? '' : plainLink}</td></tr>
</table>
</td></tr></table>
</body>
</html>
`
  return { subject, text, html }
}

/** The tenant's color as the pages show it, or ours. */
function accentIn(scheme: Scheme, { color }: Brand): Accent {
  return color !== null && /^#[0-9a-f]{6}$/i.test(color) ? accentOf(color, scheme) : ourAccent[scheme]
}

/** For dark mailboxes. `!important` overrides the style attributes, which every mail program reads. */
function darkStyle(brand: Brand): string {
  const { accent, onAccent } = accentIn('dark', brand)
  return `<style>
@media (prefers-color-scheme:dark){
.ground{background:${dark.ground}!important;color:${dark.ink}!important}
.card{background:${dark.surface}!important;border-color:${dark.line}!important}
.ink{color:${dark.ink}!important}
.muted{color:${dark.muted}!important}
.button{background:${accent}!important;border-color:${accent}!important;color:${onAccent}!important}
}
</style>`
}

/**
 * The name is beside it, so it says nothing where it is not shown. Limits leave it its shape. Outlook knows no limits, but the attribute.
 */
function logo({ logoUrl }: Brand): string {
  if (logoUrl === null) return ''
  return `<img src="${escapeHtml(logoUrl)}" alt="" height="28" style="height:auto;max-height:28px;width:auto;max-width:160px;margin:0 10px 0 0;border:0;vertical-align:middle">`
}

/** As the pages have it. */
function button(action: string, accent: string, onAccent: string): string {
  return `<p style="margin:0 0 24px"><a href="${linkMark}" class="button" style="display:inline-block;padding:9px 18px;border-radius:6px;background:${accent};border:1px solid ${accent};color:${onAccent};font-size:15px;font-weight:600;text-decoration:none">${escapeHtml(action)}</a></p>
`
}

const code = `<p class="ink" style="margin:0 0 24px;color:${light.ink};font:600 32px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px">${codeMark}</p>
`

const plainLink = `<p class="muted" style="margin:8px 0 0;font-size:13px;color:${light.muted};overflow-wrap:anywhere">If the button doesn’t work, open this address: <a href="${linkMark}" class="muted" style="color:${light.muted}">${linkMark}</a></p>
`

/** Puts link and code where their marks are. Both are of our own making. @param code empty for a mail without one */
export function withSecrets<Mail extends Pick<Composed, 'text' | 'html'>>(
  mail: Mail,
  link: string,
  code: string,
): Mail {
  return {
    ...mail,
    text: mail.text.replaceAll(linkMark, link).replaceAll(codeMark, code),
    html: mail.html.replaceAll(linkMark, escapeHtml(link)).replaceAll(codeMark, code),
  }
}

/** How long a link still works, in words: "60 minutes", "3 hours", "7 days". */
export function durationOf(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  if (minutes === 1) return '1 minute'
  if (minutes <= 120) return `${minutes} minutes`
  const hours = Math.floor(minutes / 60)
  return hours <= 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`
}

/** The flag of a part of a country, such as Scotland's: a black flag, and its code in tag characters (UTS 51, ED-14A). */
const flag = '\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{3,6}\\u{e007f}'

/**
 * Format characters that a script or an emoji needs: the (zero-width) joiners, without which Persian is misspelt and a family falls apart,
 * the signs below or around Arabic, Syriac and Kaithi numbers, and the vowel separator of Mongolian.
 */
const needed = '\\u200c\\u200d\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u{110bd}\\u{110cd}'

const flagsOrUnsafe = new RegExp(`(${flag})|[\\p{Cc}\\u2028\\u2029]|(?![${needed}])\\p{Cf}`, 'gu')

/**
 * A name that nothing comes of: control and direction characters gone, and what is not seen, unless a script or an emoji needs it; `://`,
 * and dots and `@` with anything on both sides, broken by U+2060 (word joiner, not seen), so that no mail client makes a link of it; and
 * `=?` broken likewise, with which an encoded word begins in a subject (RFC 2047).
 *
 * @param longest cut after this many grapheme clusters (UAX 29), which are what people call characters
 */
export function inert(name: string, longest = 100): string {
  const clean = name.replace(flagsOrUnsafe, (_all, flag: string | undefined) => flag ?? '')
  return cut(clean, longest).replace(/:\/\/|=(?=\?)|(?<=[^\s.])[.@。．｡](?=[^\s.])/gu, '\u2060$&\u2060')
}

/** Shortens a name to a number of characters as people see them. The last one is then an ellipsis. */
function cut(name: string, longest: number): string {
  if (name.length <= longest) return name
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' }) // here, as the first one takes 2 MiB
  const characters = [...segmenter.segment(name)].map(({ segment }) => segment)
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : name
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
