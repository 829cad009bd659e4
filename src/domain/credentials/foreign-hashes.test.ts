/** Foreign hashes: examples that other programs have made. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashAtRealCost } from '../../../test/hash-cost.ts'
import { deriveByArgon2, hashSecretly, verifySecretly } from '../../platform/cryptography.ts'
import { bearable } from './foreign-algorithms.ts'
import { readForeignHash } from './foreign-hashes.ts'
import { verifyPassword } from './passwords.ts'

const phrase = 'a long enough passphrase'
const hasher = { account: 'somebody', network: '192.0.2.1' }
const salt = 'AAECAwQFBgcICQoLDA0ODw'
const keycloak = (secretData: object, credentialData: object) =>
  JSON.stringify({
    type: 'password',
    secretData: JSON.stringify(secretData),
    credentialData: JSON.stringify(credentialData),
  })

/** By whom each was made: `crypt(3)` of libxcrypt, Python's hashlib, Werkzeug, better-auth, and what Argon2 and Firebase publish. */
const examples: readonly (readonly [form: string, hash: string, password?: string])[] = [
  ['bcrypt', '$2b$04$abcdefghijklmnopqrstuue7mIt1q6oO04lXX9a9dShyRF5vd2ijm'],
  ['bcrypt of PHP', '$2y$04$abcdefghijklmnopqrstuue7mIt1q6oO04lXX9a9dShyRF5vd2ijm'],
  ['bcrypt of OpenBSD', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'U*U'],
  ['bcrypt of Django', 'bcrypt$$2b$04$abcdefghijklmnopqrstuue7mIt1q6oO04lXX9a9dShyRF5vd2ijm'],
  ['bcrypt of Django, after SHA-256', 'bcrypt_sha256$$2b$04$XMi2RH0xbRHrPAUAvTsQF.8uROPXZ8e8Tm2Qe6PgGvW/r6NQH7DfO'],
  ['Argon2i', '$argon2i$v=19$m=65536,t=2,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b+dWRWJTmaaJObG', 'password'],
  ['Argon2id', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc', 'password'],
  [
    'Argon2id of Django',
    'argon2$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    'password',
  ],
  [
    'Argon2id of Keycloak',
    keycloak(
      { value: 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc=', salt: 'c29tZXNhbHQ=' },
      {
        hashIterations: 2,
        algorithm: 'argon2',
        additionalParameters: {
          hashLength: ['32'],
          memory: ['65536'],
          type: ['id'],
          version: ['1.3'],
          parallelism: ['1'],
        },
      },
    ),
    'password',
  ],
  ['scrypt in PHC', `$scrypt$ln=10,r=8,p=1$${salt}$lUWNxo+AvxTsJEpWpOcqLWC5oT2baFPoKEK4F6A1pMw`],
  [
    'scrypt of Django',
    'scrypt$1024$seasalt$8$1$ky2uEtUKzkKH9d62609fT0jnKD9lO4LxfPqWjQKTFOqcV8tRBaKgMMDPxtaCLGMd1u0wJlpbELlbP4BA8+51+g==',
  ],
  [
    'scrypt of Werkzeug',
    'scrypt:1024:8:1$xqIehwHeTjqhSDoo$d28f9ab56b1bbdd6305ebfea7e5ec7ee7bb0099eeb90197df795c0172141ebdbeb15b990f6c2bd842587c408f096616df7baebaa1b94a5adeece4b86f37626f1',
  ],
  [
    'scrypt of better-auth',
    'c0ec094d2f440711af3d4919d0bdbeed:816913eb19ceff49859dafa940e00e3b9c457a4cff5eb5e56c0369d634da3a5c74b58fd42b31edb03a95decc5940b413be47b995f6f42ea470631c20198ac0a2',
  ],
  [
    'scrypt of Firebase',
    '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
    'user1password',
  ],
  ['PBKDF2 of Django', 'pbkdf2_sha256$1000$seasalt$UW69oS+wHf23nv6W70Pmg6BvsbUWuNY5RaQqeOQGtEM='],
  ['PBKDF2 of Django, with SHA-1', 'pbkdf2_sha1$1000$seasalt$Aaj1zBG27fRYJKW5fydxY9Gl7IA='],
  [
    'PBKDF2 in PHC',
    `$pbkdf2-sha512$i=1000,l=64$${salt}$5jwDOUy9+IQEn+iX7EEZSdyd8l8Urhce7oMbWBiGviIHTMAeV5soJbor2eWwFrjqGQFe3pkovT/YwOIInEoLsQ`,
  ],
  ['PBKDF2 of passlib', `$pbkdf2-sha256$1000$${salt}$8X9v.6Cnyyl.8jBGcrHkQhJICgrMmpYsElJGeBO5lRY`],
  [
    'PBKDF2 of Werkzeug',
    'pbkdf2:sha256:1000$IZfo5XiKjC7ivjpf$065ab7e85de28df6f30f63e0d5758d9e7a981fd29130d8e2329fb96259d1d802',
  ],
  [
    'PBKDF2 of Keycloak',
    keycloak(
      {
        value: '8X9v+6Cnyyl+8jBGcrHkQhJICgrMmpYsElJGeBO5lRaMdGyAOxh7NqTEDqj04UBGJEPMb6ITa9EhZwDp5lZXWw==',
        salt: `${salt}==`,
      },
      { hashIterations: 1000, algorithm: 'pbkdf2-sha256', additionalParameters: {} },
    ),
  ],
  [
    'PBKDF2 of Keycloak, with SHA-1',
    keycloak(
      {
        value: 'a6ikwwTUivveDSNJt9gQT2w32HGfx1KwxVB9Uzy3uAUvOmG99kIHb6Qd8Jo1ckMi6c8rIhP/0ykGMmAMeo05Rg==',
        salt: `${salt}==`,
      },
      { hashIterations: 1000, algorithm: 'pbkdf2' },
    ),
  ],
]

for (const [form, hash, password = phrase] of examples) {
  test(`a password with a hash in the form of ${form} is verified, and its hash is outdated`, async () => {
    assert.equal(readForeignHash(hash)?.isBearable, true)
    assert.equal(await readForeignHash(hash)?.matches(password), true)
    assert.equal((await verifyPassword(hasher, `${password}.`, hash)).matches, false)
    assert.deepEqual(await verifyPassword(hasher, password, hash), { matches: true, outdated: true })
  })
}

test('a hash that would delay sign-ins is recognized before anything is computed', () => {
  const dear = [
    `$2b$${bearable.bcryptCost + 1}$abcdefghijklmnopqrstuue7mIt1q6oO04lXX9a9dShyRF5vd2ijm`,
    '$2b$31$abcdefghijklmnopqrstuue7mIt1q6oO04lXX9a9dShyRF5vd2ijm',
    `$argon2id$v=19$m=262144,t=1,p=1$${salt}$${salt}`,
    `$argon2id$v=19$m=65536,t=17,p=1$${salt}$${salt}`,
    `$argon2i$v=19$m=32768,t=1,p=2049$${salt}$${salt}`,
    `$argon2id$v=19$m=512,t=2048,p=64$${salt}$${salt}`,
    `$scrypt$ln=20,r=8,p=1$${salt}$${salt}`,
    `$scrypt$ln=14,r=8,p=9$${salt}$${salt}`,
    `$fbscrypt$v=1,n=30,r=8,p=1,ss=Bw==,sk=${salt}==$${salt}==$${salt}==`,
    `$pbkdf2-sha256$i=2000001$${salt}$${salt}`,
  ]
  for (const hash of dear) assert.equal(readForeignHash(hash)?.isBearable, false, hash)
})

test('an imported hash counts as the number of our own that take as long, and at least as one', async (t) => {
  hashAtRealCost(t)
  const weigh = (hash: string) => Math.round(readForeignHash(hash)?.weight ?? 0)
  assert.equal(weigh(await hashSecretly(phrase)), 1)
  const bcrypt = (cost: string) => `$2b$${cost}$abcdefghijklmnopqrstuue7mIt1q6oO04lXX9a9dShyRF5vd2ijm`
  assert.deepEqual(['04', '12', '13'].map(bcrypt).map(weigh), [1, 13, 27])
  for (const hash of [
    `$argon2id$v=19$m=131072,t=8,p=1$${salt}$${salt}`,
    `$scrypt$ln=17,r=8,p=1$${salt}$${salt}`,
    `$fbscrypt$v=1,n=17,r=8,p=1,ss=Bw==,sk=${salt}==$${salt}==$${salt}==`,
    `$pbkdf2-sha256$i=2000000$${salt}$${salt}`,
  ])
    assert.equal(weigh(hash), 27, hash)
})

test('a text that is no password hash is of an unknown form', () => {
  const unknown = [
    '',
    phrase,
    '5f4dcc3b5aa765d61d8327deb882cf99',
    '{}',
    '{"secretData":"{","credentialData":7}',
    keycloak({ value: 'AAECAwQFBgcICQoLDA0ODw==', salt: '' }, { hashIterations: 1, algorithm: 'md5' }),
    '$2b$03$abcdefghijklmnopqrstuue7mIt1q6oO04lXX9a9dShyRF5vd2ijm',
    '$2b$04$short',
    `$argon2d$v=19$m=65536,t=1,p=1$${salt}$${salt}`,
    `$argon2id$m=65536,t=1,p=1$${salt}$${salt}`,
    `$argon2id$v=19$m=65536,t=0,p=1$${salt}$${salt}`,
    `$argon2id$v=19$m=65536,t=1,p=1$${salt}$c2hvcnQ`,
    `$argon2id$v=19$m=65536,t=1,p=1$${salt}$${'A'.repeat(400)}`,
    `$scrypt$ln=99,r=8,p=1$${salt}$${salt}`,
    `$scrypt$ln=16,r=1,p=1$${salt}$${salt}`,
    `$fbscrypt$v=1,n=16,r=1,p=1,ss=Bw==,sk=${salt}==$${salt}==$${salt}==`,
    `scrypt$1000$seasalt$8$1$${salt}`,
    `$pbkdf2-sha256$i=0$${salt}$${salt}`,
    `$pbkdf2-md5$i=1000$${salt}$${salt}`,
  ]
  for (const hash of unknown) assert.equal(readForeignHash(hash), undefined, hash)
})

test('an Argon2id hash of the password without normalization is verified, and is outdated', async (t) => {
  hashAtRealCost(t)
  const typed = 'passphrase of fish ﬁsh'
  const ours = await hashSecretly(typed)
  assert.deepEqual(await verifySecretly(typed, ours), { matches: true, outdated: false })
  assert.deepEqual(await verifySecretly(`${typed}!`, ours), { matches: false, outdated: false })
  const key = await deriveByArgon2(
    'argon2id',
    typed,
    Buffer.alloc(16),
    { memory: 19_456, passes: 2, parallelism: 1 },
    32,
  )
  const foreign = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${key.toString('base64').replace('=', '')}`
  assert.deepEqual(await verifyPassword(hasher, typed, foreign), { matches: true, outdated: true })
})

test('the service answers while bcrypt is computed', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await verifyPassword(hasher, phrase, '$2b$10$abcdefghijklmnopqrstuue7mIt1q6oO04lXX9a9dShyRF5vd2ijm')
  clearInterval(timer)
  assert.ok(turns > 3, `it went on ${turns} times`)
})
