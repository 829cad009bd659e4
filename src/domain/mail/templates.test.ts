import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { contrast, parse } from '../../platform/colors.ts'
import { verifyEmail } from './account.ts'
import { invitation } from './organization.ts'
import { inert, linkMark, withSecrets } from './templates.ts'

const brand = { name: 'The Shop', color: null, logoUrl: null }
const words = { organization: 'Acme', inviter: 'Ann', role: 'member' as const }
const link = 'https://accounts.example.com/invitation#token=ghm_a.b.c'

test('every mail says, as text and HTML, who writes, what it is about and where to go', () => {
  const invited = withSecrets(
    invitation(brand, { ...words, role: 'admin', expiresAt: '2026-01-31T09:30:00.000Z' }),
    link,
    '',
  )
  const verify = withSecrets(verifyEmail(brand), link, '')
  assert.equal(invited.subject, 'Ann invited you to Acme')
  assert.equal(verify.subject, 'Verify your email address for The Shop')
  for (const [mail, expected] of [
    [
      invited,
      ['The Shop', 'Acme', 'Ann invited you to Acme on The Shop as an admin.', '31 January 2026 at 09:30 UTC', link],
    ],
    [verify, ['The Shop', 'Verify your email address', '24 hours', link]],
  ] as const) {
    for (const text of [mail.text, mail.html])
      for (const part of expected) assert.ok(text.includes(part), `"${part}" is not in ${text}`)
    assert.ok(!mail.text.includes(linkMark) && !mail.html.includes(linkMark))
    assert.doesNotMatch(mail.text, /undefined|null|\[object/)
    assert.doesNotMatch(mail.html, /undefined|\[object|<script|<img|src=/)
  }
  assert.equal(
    invitation(brand, { ...words, inviter: null, expiresAt: '2026-01-31T09:30:00.000Z' }).subject,
    'Someone invited you to Acme',
  )
})

test("the text ends with the tenant's name below a signature separator", () => {
  assert.match(verifyEmail(brand).text, /\n\n-- \nThe Shop$/)
})

test('dots, at signs and schemes between letters are broken up, so that no mail client makes a link', () => {
  const broken = {
    'evil.example.com': 'evil\u2060.\u2060example\u2060.\u2060com',
    'https://evil.example': 'https\u2060://\u2060evil\u2060.\u2060example',
    'a@b.c': 'a\u2060@\u2060b\u2060.\u2060c',
    '1.2.3.4': '1\u2060.\u20602\u2060.\u20603\u2060.\u20604',
    'bücher.例え': 'bücher\u2060.\u2060例え',
    'evil\u3002example': 'evil\u2060\u3002\u2060example',
    'x\u0301.example': 'x\u0301\u2060.\u2060example',
    'https://ⓔⓥⓘⓛ.ⓒⓞⓜ': 'https\u2060://\u2060ⓔⓥⓘⓛ\u2060.\u2060ⓒⓞⓜ',
    'http://_@134744072': 'http\u2060://\u2060_\u2060@\u2060134744072',
    '🏦.ws/x': '🏦\u2060.\u2060ws/x',
    'http://[2001:db8::1]': 'http\u2060://\u2060[2001:db8::1]',
    '=?utf-8?q?spy=40evil=2Eexample?=': '\u2060=\u2060?utf-8?q?spy=40evil=2Eexample?=',
    'Dr. Who': 'Dr. Who',
    'Acme, Inc.': 'Acme, Inc.',
    '...': '...',
  }
  for (const [name, expected] of Object.entries(broken)) assert.equal(inert(name), expected, name)
})

test('control, direction and invisible characters are removed', () => {
  assert.equal(inert('a\u0000\r\n\tb\u0085\u2028\u2029c'), 'abc')
  assert.equal(inert('\u202eevil\u2066\u200f\u061c\u200b\ufeff'), 'evil')
  assert.equal(inert('ev\u200bil.ex\u00adample'), 'evil\u2060.\u2060example')
  assert.equal(inert(`a${linkMark}b`), 'ab')
})

test('a name in a mail is spelt as its person spells it, in any script and with any emoji', () => {
  for (const name of [
    'علی‌رضا', // U+200C
    'ශ්‍රී', // U+200D
    '👨‍👩‍👧 Novak',
    '🏴󠁧󠁢󠁳󠁣󠁴󠁿 Scotland',
    '❤️‍🔥',
    '\u0600\u0661\u0662',
    'ᠠ\u180eᠠ',
  ])
    assert.equal(inert(name), name)
  assert.equal(inert('a\u{e0061}\u{e007f}b'), 'ab', 'tags that are no flag hide what they say')
  assert.equal(inert(`🏴${'\u{e0061}'.repeat(20)}\u{e007f}b`), '🏴b')
  assert.equal(inert('evil\u200c.\u200dcom'), 'evil\u200c\u2060.\u2060\u200dcom')
})

test('a cut never goes through a character: a flag keeps its country, a family its children, a letter its marks', () => {
  for (const character of ['👨‍👩‍👧', '🇨🇿', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'e\u0323\u0301', 'कि', '👍🏽']) {
    assert.equal(inert(character.repeat(61), 60), `${character.repeat(59)}…`)
    assert.equal(inert(character.repeat(60), 60), character.repeat(60))
  }
})

test('a long name is cut between characters, at 60 in subjects and at 100 elsewhere, and marked as cut', () => {
  const long = '\u{1f600}'.repeat(101)
  assert.equal(inert(long), `${'\u{1f600}'.repeat(99)}…`)
  assert.equal(inert(long, 60), `${'\u{1f600}'.repeat(59)}…`)
  assert.equal(inert('x'.repeat(60), 60), 'x'.repeat(60))
  const { subject, text } = invitation(brand, {
    organization: 'o'.repeat(100),
    inviter: 'i'.repeat(100),
    expiresAt: '2026-01-31T09:30:00.000Z',
    role: 'owner',
  })
  assert.equal(subject, `${'i'.repeat(59)}… invited you to ${'o'.repeat(59)}…`)
  assert.ok(text.includes('o'.repeat(100)))
})

test('any names are inert in every part of every mail', () => {
  const nasty = fc.constantFrom(
    '\r\n',
    'Bcc: ',
    '://',
    '.',
    '@',
    '<',
    '>',
    '"',
    "'",
    '&',
    '\u202e',
    '\u200c',
    '\u200d',
    linkMark,
    '</a>',
    'a',
    'é',
    '$&',
    '$1',
  )
  const name = fc.oneof(
    fc.array(nasty, { maxLength: 40 }).map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme' }),
  )
  fc.assert(
    fc.property(name, name, name, (tenant, organization, inviter) => {
      const mails = [
        verifyEmail({ name: tenant, color: null, logoUrl: null }),
        invitation(
          { name: tenant, color: inviter, logoUrl: null },
          { organization, inviter, role: 'member', expiresAt: '2026-01-31T09:30:00.000Z' },
        ),
      ]
      for (const { subject, text, html } of mails) {
        assert.doesNotMatch(subject, /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
        assert.equal(text.split(linkMark).length, 2)
        assert.equal(html.split(linkMark).length, 4)
        for (const part of [subject, text]) assert.doesNotMatch(part, /[\p{L}\p{N}](?:[.@]|:\/\/)[\p{L}\p{N}]/u)
        assert.deepEqual(tagsOf(html), tagsOf(plain), 'names add no markup')
      }
    }),
  )
})

test("a tenant's colour is used only if it is a colour, and the button stays readable on it", () => {
  const button = (color: string | null) =>
    /background:([^;]*);border:1px solid ([^;]*);color:([^;]*);/.exec(verifyEmail({ ...brand, color }).html)?.slice(1)
  assert.deepEqual(button(null), ['#27272a', '#27272a', '#ffffff'])
  assert.deepEqual(button('#4f46e5'), ['#4f46e5', '#4f46e5', '#ffffff'])
  for (const pale of ['#ffffff', '#FACC15']) {
    const [ground = '', , label = ''] = button(pale) ?? []
    assert.ok(contrast(parse(label), parse(ground)) >= 4.5, `${label} on ${ground}`)
  }
  assert.deepEqual(button('red;}</style>'), ['#27272a', '#27272a', '#ffffff'])
})

test("a tenant's logo is at the top, and its URL is escaped", () => {
  const picture = (logoUrl: string) => /<img src="([^"]*)"/.exec(verifyEmail({ ...brand, logoUrl }).html)?.[1]
  assert.equal(picture('https://example.com/a.png?b=1&c=2'), 'https://example.com/a.png?b=1&#38;c=2')
  assert.equal(picture('https://example.com/"><script>'), 'https://example.com/&#34;&#62;&#60;script&#62;')
  assert.doesNotMatch(plain, /<img/)
})

test('a wide logo stays inside the mail, and keeps its shape', () => {
  const [tag = ''] = /<img [^>]*>/.exec(verifyEmail({ ...brand, logoUrl: 'https://example.com/a.png' }).html) ?? []
  for (const rule of ['max-width:160px', 'max-height:28px', 'width:auto', 'height:auto'])
    assert.match(tag, new RegExp(`[";]${rule}[;"]`))
})

const plain = verifyEmail(brand).html

function tagsOf(html: string): string[] {
  return [...html.matchAll(/<(\/?[a-z0-9]+)/gi)].map(([, tag = '']) => tag)
}
