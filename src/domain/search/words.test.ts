import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readQuery, readWords, wordsIn, wordsOfOrganization, wordsOfUser } from './words.ts'

/** Whether a query finds a user, compared as the statements do it. */
const finds = (query: string, name: string | null, email = 'x@y.test') => {
  const words = wordsOfUser({ name, email })
  const terms = readQuery(query)
  const hasRow = (typed: string) => wordsIn(words).some((word) => word.startsWith(typed))
  return (
    terms.length > 0 &&
    terms.every((term) => {
      if (term.kind === 'address') return email.startsWith(term.text)
      if (term.kind === 'rest') return term.texts.every((text) => words.includes(` ${text}`))
      if (term.kind === 'domain') return words.includes(` @${term.text}`) && term.words.every(hasRow)
      return words.includes(` ${term.text}`) && hasRow(term.text)
    })
  )
}

test('letters are compared without case and accents, in every script', () => {
  const found: [string, string][] = [
    ['muller', 'Max Müller'],
    ['MÜL', 'Max Müller'],
    ['lukasz', 'Łukasz Żak'],
    ['zak', 'Łukasz Żak'],
    ['strasse', 'Straße'],
    ['STRASSE', 'straẞe'],
    ['soren', 'Søren'],
    ['dang', 'Đặng Thị'],
    ['ipek', 'İpek'],
    ['İPEK', 'ipek'],
    ['isik', 'Işık'],
    ['ışık', 'ISIK'],
    ['aegir', 'Ægir'],
    ['thor', 'Þór'],
    ['احمد', 'أحمد'],
    ['أحمد', 'احمد'],
    ['йод', 'Йод'],
    ['елка', 'Ёлка'],
    ['οδυσσευσ', 'Ὀδυσσεύς'],
    ['acme', 'ＡＣＭＥ'],
    ['हिन्दी', 'हिन्दी संघ'],
    ['สมชาย', 'สมชายใจดี'],
    ['שלום', 'שָׁלוֹם'],
    ['김철', '김철수'],
    ['ㄱ', '김철수'],
  ]
  for (const [query, name] of found) assert.ok(finds(query, name), `${query} finds ${name}`)
  const missed: [string, string][] = [
    ['ischer', 'Lena Fischer'],
    ['हन', 'हिन्दी'],
    ['ใจดี', 'สมชายใจดี'],
    ['lena f', 'Lena'],
  ]
  for (const [query, name] of missed) assert.ok(!finds(query, name), `${query} does not find ${name}`)
})

test('a word begins after punctuation, after an apostrophe, and at each character of a script without spaces', () => {
  const found: [string, string][] = [
    ['fisch lena', 'Lena Fischer'],
    ['luc jean', 'Jean-Luc'],
    ['jean-luc', 'Jean Luc'],
    ["o'neill", "Kate O'Neill"],
    ['oneill', 'Kate O’Neill'],
    ['neill', "Kate O'Neill"],
    ['o', "Kate O'Neill"],
    ['太郎', '田中太郎'],
    ['田中', '田中太郎'],
    ['철수', '김철수'],
    ['tower', '東京Tower'],
    ['🚀', 'Rocket🚀'],
    ['rocket', '🚀Rocket'],
    ['tolkien', 'J.R.R. Tolkien'],
    ['j.r', 'J.R.R. Tolkien'],
  ]
  for (const [query, name] of found) assert.ok(finds(query, name), `${query} finds ${name}`)
})

test('an address is found by words of its local part, by its domain, and as a whole', () => {
  const email = 'lena.fischer+news@mail.acme-west.com'
  for (const query of [
    'lena',
    'fisch',
    'lena.f',
    'news',
    'mail',
    'mail.acme',
    'acme',
    'west.com',
    'acme-west.com',
    '@mail',
    '@MAIL.acme-w',
  ])
    assert.ok(finds(query, null, email), query)
  for (const query of ['lena.fischer+news@m', 'LENA.fischer+', 'lena fischer', 'news @mail', 'lena @', email])
    assert.ok(finds(query, null, email), query)
  for (const query of ['com', '@acme', 'fischer@', '@lena', 'lena.fischer@m', 'lena fischer2', '@', '.', '--- '])
    assert.ok(!finds(query, null, email), query)
})

test('a domain in another script is found as people read it, and as it is stored', () => {
  const email = 'max@xn--mller-kva.xn--p1ai'
  for (const query of [
    'müller',
    '@MÜLL',
    'max@müller.рф',
    'xn--mller',
    '@xn--mller',
    '@xn--mller-kva.xn--p',
    'max@xn--mller',
  ])
    assert.ok(finds(query, null, email), query)
  // The last part has the longest word, which has no row.
  for (const query of ['@acme.xn--80asehdb', '@acme.xn--80', '@acme.онлайн', '@acme.xn-'])
    assert.ok(finds(query, null, 'max@acme.xn--80asehdb'), query)
  for (const query of ['рф', '@рф', 'p1ai', '@xn--p1ai']) assert.ok(!finds(query, null, email), query)
  const words = wordsIn(wordsOfUser({ name: null, email: 'max@xn--mller-kva.test' }))
  assert.deepEqual(words, ['kva.test', 'max', 'mller', 'muller.test', 'xn'])
})

test('the last part of a domain finds nobody, and is found where it is another part, too', () => {
  for (const [query, email] of [
    ['online', 'bob@online-shop.online'],
    ['@online-shop', 'bob@online-shop.online'],
    ['info', 'bob@mail.info-x.info'],
    ['@de-', 'bob@de-mail.de'],
    ['中', 'bob@xn--fiq228c.xn--fiqs8s'], // 中文.中国
  ] as const)
    assert.ok(finds(query, null, email), `${query} finds ${email}`)
  for (const [query, email] of [
    ['online', 'bob@shop.online'],
    ['国', 'bob@xn--fiq228c.xn--fiqs8s'],
  ] as const)
    assert.ok(!finds(query, null, email), `${query} does not find ${email}`)
  assert.deepEqual(wordsIn(wordsOfUser({ name: null, email: 'bob@online-shop.online' })), [
    'bob',
    'online',
    'shop.online',
  ])
})

test('what is the beginning of another word gets no row, and a long word is compared as far as an index can', () => {
  assert.deepEqual(wordsIn(wordsOfUser({ name: 'Anna Smith', email: 'anna.smith@acme.com' })), [
    'acme.com',
    'anna.smith',
    'smith',
  ])
  assert.deepEqual(wordsIn(wordsOfOrganization({ name: 'Acme, Inc.', slug: 'acme-inc-2' })), ['2', 'acme', 'inc'])
  const long = 'ﷺ'.repeat(100)
  for (const word of wordsIn(wordsOfUser({ name: long, email: 'a@b.test' }))) assert.ok(Buffer.byteLength(word) <= 256)
  assert.ok(finds('x'.repeat(90), 'x'.repeat(100)))
})

test('punctuation asks for nothing where there are words, and a word that another one contains at its beginning asks for nothing more', () => {
  assert.deepEqual([readQuery(' @ '), readQuery(" ' "), readQuery('- a')], [[], [], [{ kind: 'word', text: 'a' }]])
  for (const query of ['%', '%_', '% _ \\']) assert.ok(finds(query, '%_\\') && !finds(query, '100%_\\'), query)
  assert.deepEqual(readQuery('fisch Fischer -'), [{ kind: 'word', text: 'fischer' }])
  for (const at of ['@', '＠', '﹫'])
    assert.deepEqual(readWords(`Foo${at}Bar`), [
      { kind: 'word', text: 'bar' },
      { kind: 'word', text: 'foo' },
    ])
})

test('the longest words of a query are looked up, at most eight terms in all, and the others are compared', () => {
  const words = ['a', 'bb', 'ccc', 'd', 'e', 'f', 'g', 'h', 'iiii']
  const kinds = (query: string) => readQuery(query).map(({ kind }) => kind)
  assert.deepEqual(readQuery(words.join(' ')).at(0), { kind: 'word', text: 'iiii' })
  assert.deepEqual(readQuery(words.join(' ')).at(-1), { kind: 'rest', texts: ['h'] })
  assert.deepEqual(kinds(words.slice(1).join(' ')), Array(8).fill('word'))
  assert.deepEqual(kinds(`@acme ${words.slice(0, 7).join(' ')} x@y z`), [
    ...Array(6).fill('word'),
    'domain',
    'address',
    'rest',
  ])
})

test('of addresses and domains one counts, and several that no address has together find nothing', () => {
  const email = 'lena@acme.com'
  assert.deepEqual(readQuery('@acme @acme.com @ACME'), [{ kind: 'domain', text: 'acme.com', words: ['acme.com'] }])
  assert.deepEqual(readQuery('lena@ LENA@acme lena@'), [{ kind: 'address', text: 'lena@acme', words: ['lena'] }])
  assert.deepEqual(
    readQuery('@acme lena lena@a').map(({ kind }) => kind),
    ['word', 'domain', 'address'],
  )
  assert.deepEqual([readQuery('lena @acme @mail'), readQuery('lena lena@a max@a')], [[], []])
  for (const query of ['@acme @acme.c lena', 'lena@ lena@acme', 'lena@ @acme'])
    assert.ok(finds(query, null, email), query)
  for (const query of ['@acme @firma', 'lena@ max@', 'lena@ @firma']) assert.ok(!finds(query, null, email), query)
})

test('every name is found by each of its words, by the beginning of each, and by all of them in any order', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.string({ unit: 'binary', maxLength: 60 }))
  fc.assert(
    fc.property(text, fc.nat(), (name, seed) => {
      // Beside the long word, punctuation asks for nothing.
      const parts = name.split(/\s+/).filter((part) => readWords(`${part} ${'z'.repeat(64)}`).length > 1)
      fc.pre(parts.length > 0 && !name.normalize('NFKC').includes('@'))
      const part = parts[seed % parts.length] as string
      for (const query of [part, [...parts].reverse().join(' '), part.toLowerCase(), part.normalize('NFKD')])
        assert.ok(finds(query, name), JSON.stringify([query, name]))
    }),
  )
})
