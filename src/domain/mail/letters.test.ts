import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as account from './account.ts'
import * as applications from './applications.ts'
import * as deletionNotice from './deletion-notice.ts'
import * as keys from './keys.ts'
import * as membership from './membership.ts'
import * as organization from './organization.ts'
import * as signIn from './sign-in.ts'
import { type Brand, type Composed, codeMark, linkMark, withSecrets } from './templates.ts'
import * as warnings from './warnings.ts'
import * as webhooks from './webhooks.ts'

const letters = {
  ...account,
  ...applications,
  ...deletionNotice,
  ...keys,
  ...membership,
  ...organization,
  ...signIn,
  ...warnings,
  ...webhooks,
}
type Letter = Exclude<keyof typeof letters, `${string}Mails` | 'asRole' | 'dropDeletionNotices' | `tellOf${string}`>

/** Each letter, of a tenant, an organization and a person who are all called the same. */
const composed: Readonly<Record<Letter, (brand: Brand, name: string) => Composed[]>> = {
  verifyEmail: (brand) => [letters.verifyEmail(brand)],
  invitation: (brand, name) => [
    letters.invitation(brand, {
      organization: name,
      inviter: name,
      role: 'member',
      expiresAt: '2026-01-31T09:30:00.000Z',
    }),
    letters.invitation(brand, {
      organization: name,
      inviter: null,
      role: 'owner',
      expiresAt: '2026-01-31T09:30:00.000Z',
    }),
  ],
  resetPassword: (brand) => [letters.resetPassword(brand, '60 minutes')],
  setPassword: (brand) => [letters.setPassword(brand)],
  chooseAgain: (brand) => [letters.chooseAgain(brand)],
  passwordChanged: (brand, name) => [letters.passwordChanged(brand), letters.passwordChanged(brand, [name], [name])],
  passwordSwitchedOff: (brand) => [letters.passwordSwitchedOff(brand)],
  codesSwitchedOff: (brand) => [letters.codesSwitchedOff(brand)],
  mailCodesSwitchedOff: (brand) => [letters.mailCodesSwitchedOff(brand)],
  emailChangeUndone: (brand) => [letters.emailChangeUndone(brand, '60 minutes')],
  changeEmail: (brand) => [letters.changeEmail(brand)],
  addressInUse: (brand) => [letters.addressInUse(brand)],
  emailChangeRequested: (brand) => [letters.emailChangeRequested(brand, 'ann@example.com')],
  emailChanged: (brand) => [letters.emailChanged(brand, 'ann@example.com')],
  emailIsNew: (brand) => [letters.emailIsNew(brand)],
  newDevice: (brand, name) =>
    ['203.0.113.7', '2001:db8::1', null].map((ip) =>
      letters.newDevice(brand, { device: name, ip, at: '2026-01-31T09:30:00.000Z' }),
    ),
  memberRemoved: (brand, name) => [letters.memberRemoved(brand, name)],
  membershipSuspended: (brand, name) => [letters.membershipSuspended(brand, name)],
  membershipReactivated: (brand, name) => [letters.membershipReactivated(brand, name)],
  membershipEnded: (brand, name) => [letters.membershipEnded(brand, name)],
  membershipEnding: (brand, name) =>
    [true, false].map((isOwn) =>
      letters.membershipEnding(brand, { organization: name, endsAt: '2026-01-31T09:30:00.000Z', isOwn }),
    ),
  memberAddedByAdmin: (brand, name) => [letters.memberAddedByAdmin(brand, name)],
  accessGivenByAdmin: (brand, name) => [letters.accessGivenByAdmin(brand, name)],
  memberRoleChanged: (brand, name) =>
    (['owner', 'admin', 'member'] as const).map((role) => letters.memberRoleChanged(brand, name, role)),
  ownershipTransferred: (brand, name) =>
    [true, false].flatMap((isByAdmin) =>
      (['owner', 'admin'] as const).map((role) =>
        letters.ownershipTransferred(brand, { organization: name, role, isByAdmin }),
      ),
    ),
  keyMade: (brand, name) => [
    ...owned(name).map((key) => letters.keyMade(brand, key)),
    letters.keyMade(brand, owned(name)[0], { device: name, ip: '2001:db8::1', at: '2026-01-31T09:30:00.000Z' }),
  ],
  keyEnding: (brand, name) =>
    owned(name).map((key) => letters.keyEnding(brand, { ...key, endsAt: '2026-01-31T09:30:00.000Z' })),
  keyHolderLeft: (brand, name) =>
    [true, false].flatMap((isOver) =>
      owned(name).map((key) => letters.keyHolderLeft(brand, { ...key, endsAt: '2026-01-31T09:30:00.000Z', isOver })),
    ),
  applicationChanged: (brand, name) =>
    (['added', 'addresses', 'secret'] as const).map((change) => letters.applicationChanged(brand, name, change)),
  webhookChanged: (brand, name) =>
    [null, name].flatMap((organization) =>
      (
        [
          'added',
          'url',
          'failing',
          'setter_left',
          { disabledBecause: 'failures' },
          { disabledBecause: 'gone' },
          { missedUntil: '2026-01-31T09:30:00.000Z' },
        ] as const
      ).map((change) => letters.webhookChanged(brand, { name, host: name, organization }, change)),
    ),
  organizationDeleted: (brand, name) => [letters.organizationDeleted(brand, name)],
  accountDeleted: (brand) => [letters.accountDeleted(brand), letters.accountDeleted(brand, true)],
  signInCode: (brand) => (['sign_in', 'confirm', 'link'] as const).map((purpose) => letters.signInCode(brand, purpose)),
  signInChanged: (brand, name) =>
    (
      [
        'totp_added',
        'totp_replaced',
        'totp_removed',
        'passkey_added',
        'passkey_removed',
        'factor_removed',
        'recovery_code_used',
        'recovery_codes_made',
        'password_added',
        'password_removed',
        'identity_linked',
        'identity_unlinked',
      ] as const
    ).flatMap((change) => [
      letters.signInChanged(brand, change, { device: name, ip: '2001:db8::1', at: '2026-01-31T09:30:00.000Z' }),
      letters.signInChanged(brand, change),
    ]),
  passwordKnown: (brand) => [letters.passwordKnown(brand)],
  factorsReset: (brand) => [letters.factorsReset(brand), letters.factorsReset(brand, true)],
}

/** A key of each kind of owner, all called the same. */
function owned(name: string) {
  return [
    { name, ownerType: 'user', organization: null },
    { name, ownerType: 'organization', organization: name },
    { name, ownerType: 'tenant', organization: null },
  ] as const
}

function compose(name: string): [string, Composed][] {
  const brand = { name, color: null, logoUrl: null }
  return Object.entries(composed).flatMap(([letter, make]) =>
    make(brand, name).map((mail): [string, Composed] => [letter, mail]),
  )
}

/** Letters that lead nowhere. */
const withoutLink = [
  'addressInUse',
  'emailIsNew',
  'memberRemoved',
  'membershipSuspended',
  'membershipReactivated',
  'membershipEnded',
  'membershipEnding',
  'memberAddedByAdmin',
  'accessGivenByAdmin',
  'memberRoleChanged',
  'ownershipTransferred',
  'keyMade',
  'keyEnding',
  'keyHolderLeft',
  'applicationChanged',
  'webhookChanged',
  'organizationDeleted',
  'accountDeleted',
  'signInCode',
  'factorsReset',
]

test('every letter is complete as text and as HTML, and names the tenant', () => {
  const link = 'https://accounts.example.com/page#token=ghm_a.b.c'
  for (const [letter, mail] of compose('Acme Shop')) {
    const code = letter === 'signInCode' ? '287082' : ''
    const { subject, text, html } = withSecrets(mail, link, code)
    for (const part of [subject, text, html]) {
      assert.doesNotMatch(part, /undefined|null|NaN|\[object|\$\{/, letter)
      assert.doesNotMatch(part, / {2}|\.\.(?!\.)| \.|,,| ,/, letter)
      assert.ok(!part.includes(linkMark) && !part.includes(codeMark), letter)
    }
    if (code !== '')
      for (const part of [text, html]) assert.equal(part.split(code).length, 2, `${letter}: the code, once`)
    assert.doesNotMatch(subject, /287082/, 'a subject is shown on locked screens')
    assert.ok(subject.length > 10 && subject.length < 90, subject)
    assert.doesNotMatch(subject, /\.$|\n/)
    assert.match(text, /^[A-Z][^\n]+\n\n/, letter)
    assert.match(text, /\n\n-- \nAcme Shop$/, letter)
    for (const paragraph of text.split('\n\n').slice(1, -1))
      assert.ok(paragraph === code || /[.:]$|^\S.*:\nhttps:\S+$/.test(paragraph), `${letter}: ${paragraph}`)
    for (const paragraph of text.split('\n\n').slice(1, -1))
      if (!paragraph.includes(link))
        assert.ok(textOf(html).includes(paragraph), `${letter}: "${paragraph}" is not in its HTML`)
    assert.equal(text.includes(link), !withoutLink.includes(letter), letter)
    assert.equal(html.includes('href='), !withoutLink.includes(letter), letter)
  }
})

test('names are inert in every letter', () => {
  const name = 'Win at http://evil.example/?a <b>now</b>\r\nBcc: x@evil.example \u202e'
  const tags = (html: string) => [...html.matchAll(/<(\/?[a-z0-9]+)/gi)].map(([, tag = '']) => tag)
  const plain = compose('Acme Shop')
  for (const [index, [letter, { subject, text, html }]] of compose(name).entries()) {
    for (const part of [subject, text, textOf(html)]) {
      assert.doesNotMatch(part, /http:\/\/|evil\.example|x@evil|[\u202a-\u202e]|\r/, letter)
    }
    assert.doesNotMatch(subject, /\n/, letter)
    assert.deepEqual(tags(html), tags(plain[index]?.[1].html ?? ''), `${letter}: a name adds no markup`)
  }
})

test('an IP address stays as it is, and no other text passes for one', () => {
  const brand = { name: 'Acme Shop', color: null, logoUrl: null }
  const words = { device: 'Firefox on Linux', at: '2026-01-31T09:30:00.000Z' }
  for (const ip of ['203.0.113.7', '2001:db8::1']) {
    const { text, html } = letters.newDevice(brand, { ...words, ip })
    for (const part of [text, html])
      assert.ok(part.includes(`Firefox on Linux from ${ip}, on 31 January 2026 at 09:30 UTC.`), part)
  }
  assert.doesNotMatch(letters.newDevice(brand, { ...words, ip: 'evil.example' }).text, /evil/)
})

test('a subject stays short even if the names are long', () => {
  for (const [letter, { subject }] of compose('Long '.repeat(20))) {
    assert.ok([...subject].length <= 140, `${letter}: ${subject}`)
    assert.ok(subject.includes('…'), letter)
  }
})

/** What is read of HTML. */
function textOf(html: string): string {
  return html.replace(/<[^>]*>/g, '').replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}

test('a mail about a changed sign-in says where the person changed it, and of an admin who did it nothing more', () => {
  const seen = { device: 'Chrome on macOS', ip: '203.0.113.7', at: '2026-01-31T09:30:00.000Z' }
  const brand = { name: 'Acme', color: null, logoUrl: null }
  assert.match(
    letters.signInChanged(brand, 'passkey_added', seen).text,
    /A passkey was added to your account at Acme: Chrome on macOS from 203\.0\.113\.7, on 31 January 2026 at 09:30 UTC\./,
  )
  assert.match(
    letters.signInChanged(brand, 'identity_unlinked').text,
    /An account at another service was unlinked from your account at Acme, by an admin\./,
  )
})

test('mails about different changes have different subjects', () => {
  const seen = new Map<string, string>()
  for (const [letter, { subject, text }] of compose('Acme Shop')) {
    const title = `${letter}: ${text.split('\n')[0]}`
    assert.equal(seen.get(subject) ?? title, title, subject)
    seen.set(subject, title)
  }
  assert.ok(seen.has('A passkey was added: your account at Acme Shop'))
  assert.ok(seen.has('Your authenticator app was replaced: your account at Acme Shop'))
})
