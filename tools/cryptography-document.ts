/** Generates docs/security/cryptography.md: every key, hash, token and random value, as the code declares them. */

import { linkLifetimes, setUpLifetime } from '../src/domain/access/tokens.ts'
import { codeLifetime } from '../src/domain/applications/codes.ts'
import { idTokenLifetime } from '../src/domain/applications/id-tokens.ts'
import { bearable } from '../src/domain/credentials/foreign-algorithms.ts'
import { resetLifetime } from '../src/domain/credentials/mailed-tokens.ts'
import { lead, period as signingPeriod } from '../src/domain/signing-keys/rotation.ts'
import { cost } from '../src/platform/cryptography.ts'
import { cursorLifetime } from '../src/platform/http/pagination.ts'
import { macs, seals, secrets } from '../src/platform/keys.ts'
import { readConfig } from '../src/platform/settings/config.ts'
import { cryptographers, dice } from './findings.ts'
import { table } from './markdown.ts'

/** For each random secret: where it is stored, until when it is valid, and how it is replaced. */
const lives: Readonly<Record<keyof typeof secrets, readonly [kept: string, until: string, replaced: string]>> = {
  ghs: [
    'SHA-256 in `sessions`',
    'the session ends, or the tenant’s idle or absolute time is over (14 and 30 days)',
    'each sign-in makes a new one; nothing renews one',
  ],
  ghk: [
    'SHA-256 in `api_key_secrets`',
    'the key ends, or the secret’s overlap after a rotation is over',
    'its owner rotates the key',
  ],
  ghx: [
    'SHA-256 in `application_secrets`',
    'the application is deleted, or the secret’s overlap after a rotation is over',
    'an admin of the tenant rotates it',
  ],
  whsec: [
    'sealed in `webhook_secrets`',
    'the webhook is deleted, or the secret’s overlap after a rotation is over',
    'an admin rotates it',
  ],
  ghu: [
    'SHA-256 in `set_up_links`',
    `${time(setUpLifetime)}, or until there is an admin`,
    'each start without an admin makes a new one',
  ],
  gha: ['SHA-256 in `attempts`', '10 minutes, or the step is done', 'each step makes a new one'],
  challenge: [
    'nowhere: it is sealed in the challenge',
    '10 minutes, or the challenge is spent',
    'each challenge has its own',
  ],
  provider: ['sealed in `attempts`', '10 minutes, or the sign-in is done', 'each sign-in at a provider makes new ones'],
  device: [
    'SHA-256 in `known_devices`',
    '400 days without use, the end of all other sessions, or a password reset, unless two factors were proven on the device',
    'the first sign-in on a device makes one',
  ],
  root: ['a file in the data folder, readable only by its owner', 'the operator replaces it', 'see “Rotation”'],
  database: [
    'a file in the data folder, readable only by its owner',
    'the data are deleted',
    'by restoring the data from a backup into a new database',
  ],
  picture: [
    'as it is, beside the URL that has it',
    'the picture is replaced or removed',
    'each upload makes a new one',
  ],
  mailbox: ['in memory', 'the service stops', 'each start makes a new one, unless `MAILBOX_KEY` is set'],
  nobody: ['in memory, as its hash', 'the service stops', 'each start makes a new one'],
}

/** For each key: until when its products are valid. */
const validity: Readonly<Record<keyof typeof macs | keyof typeof seals, string>> = {
  'mailed-token': 'see “Mailed links”',
  'join-token': '1 to 90 days, and until the link ends',
  guessing: '30 days; after 100 failures, until the password is changed or reset, as far as a reset may forget them',
  once: 'the job is done',
  rate: 'the rate’s time is over',
  idempotency: '24 hours',
  'mail-code': '10 minutes',
  'attempt-address': '10 minutes',
  refresh: 'it was used, its leeway of 30 seconds is over, or the grant ends',
  access: 'one hour, or the grant ends',
  mailbox: 'as long as the secret is used',
  secret: 'as long as the secret is used',
  cursor: time(cursorLifetime),
  job: 'the job is done, or 30 days after its last try; for a deletion notice, or a job that tells applications of a deleted account, at most 24 hours',
  challenge: '10 minutes',
  setup: '10 minutes',
  factor: 'the factor is removed',
  provider: 'the secret is replaced, or the provider is deleted',
  webhook: 'the secret is replaced, or the webhook is deleted',
  'signing-key': 'the last session is over in which the key has signed',
  tombstone: '30 days, or the tenant’s retention of events is over',
  request: 'one hour',
  code: `${codeLifetime} seconds`,
  attempt: '10 minutes',
}

export function describeCryptography(): string {
  const keyed = (uses: Readonly<Record<string, string>>, algorithm: string) =>
    Object.entries(uses).map(([use, of]) => [`\`${use}\``, algorithm, of, validity[use as keyof typeof validity]])
  return `<!-- Generated from the code by npm run docs. Do not edit. -->

# Keys, hashes and random numbers

\`npm run docs\` generates this page from the code, and a check of \`npm test\` fails if they differ (ASVS 5.0, 11.1.1 to 11.1.4).

All cryptography of the service is in \`src/platform/cryptography.ts\`. It uses only Node’s \`node:crypto\` (OpenSSL), except for imported bcrypt
hashes and for signatures of others (below). Guildhall has no certificates. Its only key pairs and signatures are those of signed tokens. Only these files may use
\`node:crypto\`:

${table(
  ['File', 'Purpose'],
  Object.entries(cryptographers).map(([path, why]) => [`\`${path}\``, why]),
)}

\`Math.random\` only spreads waiting times: ${Object.keys(dice)
    .map((path) => `\`${path}\``)
    .join(', ')}. A check finds any other use of either one.

## Keys

The operator has one secret, \`GUILDHALL_SECRET\`: a list of texts of at least 32 characters, newest first. Each use has its own 256-bit key,
derived with HKDF-SHA-256, with the use as its info. Guildhall derives a key when it first needs it, and keeps it only in memory. A value
for one use is invalid for any other. A MAC covers length-prefixed parts, so that two different lists of parts never give the same input,
and is compared in constant time. Each encrypted text has a random 96-bit nonce. Encryption also authenticates the context that a text is
bound to (tenant, route, caller).

${table(['Use', 'Algorithm', 'What it protects', 'Valid until'], [...keyed(macs, 'HMAC-SHA-256'), ...keyed(seals, 'AES-256-GCM')])}

**Rotation.** Put a new secret first. It then signs and encrypts, and all secrets of the list verify and decrypt. Keep the old one until
everything that it has made is over ([Replacing the secret](../operate/secrets.md) says how long that takes) and an hourly job has encrypted
seeds, client secrets, signing keys and secrets of webhooks again. Then remove it. Beside each of them, \`sealed_under\` names its secret.
The counters of guesses and rates start again with a new secret. Change it every year, when somebody who knew it leaves, and immediately
when it may have leaked. In that last case, remove the old one at once. This invalidates every mailed link, link to join, cursor, and token
of an application, and makes authenticator apps, the client secrets of providers, signing keys and secrets of webhooks unusable. Sessions,
keys, passwords, passkeys and recovery codes do not depend on the secret. Only the operator and the service know it. It does not belong in a
backup of the database, because it would decrypt and reveal parts of it.

## Random secrets

They come from the operating system’s generator, through \`randomBytes\`, and have at least 128 bits. Secrets that are given to people and
programs are stored only as hashes. Those of webhooks are the exception: Guildhall signs with them, so they are sealed.

${table(
  ['Secret', 'Bits', 'What it is', 'Stored as', 'Valid until', 'Replacement'],
  Object.entries(secrets).map(([kind, { bytes, of }]) => [
    `\`${kind}\``,
    `${bytes * 8}`,
    of,
    ...lives[kind as keyof typeof secrets],
  ]),
)}

The seed of an authenticator app has 160 bits; an imported one has those of the product that made it, at least 80. It is encrypted in
\`factors\`. A recovery code has 120 bits, works once, and is stored as its SHA-256 in \`recovery_codes\`. A mailed code has six digits of
an HMAC, and is stored nowhere; five wrong ones end its attempt.

Random, but not secret: the subjects that identify people in the audit log (128 bits), ids (UUIDv7), ids of signed tokens (128 bits), request ids, suffixes of slugs, and names of
files.

## Mailed links

A link’s token is \`ghm_<tenant>.<row>.<mac>\`, of which nothing is stored. The MAC covers purpose, tenant, row and generation, with the key
\`mailed-token\`. Using a token, or increasing the generation, invalidates it.

${table(
  ['Purpose', 'Lifetime'],
  [
    ...Object.entries(linkLifetimes).map(([purpose, seconds]) => [`\`${purpose}\``, time(seconds)]),
    ['`invitation`', '1 to 30 days, by default 7'],
    ['`reset_password`', `the window of \`LIMIT_MAIL\`, by default ${time(resetLifetime(readConfig({})))}`],
  ],
)}

## Hashes

- **Passwords**: Argon2id, m = ${cost.memory} KiB, t = ${cost.passes}, p = ${cost.parallelism}, with a random 128-bit salt and a 256-bit result, of the password in NFKC. Each hash
  contains its parameters. If they are not the current ones, the next sign-in replaces the hash.
- **Imported passwords of other products**: bcrypt (with \`bcryptjs\`, in its own thread), scrypt, Argon2 and PBKDF2. The next sign-in verifies the
  imported hash, and replaces it with an Argon2id hash. The exception is a bcrypt hash of a password of 72 bytes or more, because bcrypt ignores all
  further bytes. AES-256-CTR is the last step of Firebase’s scrypt, and has no other use. A hash that costs more than this is not imported:

${table(
  ['Algorithm', 'Limit'],
  [
    ['bcrypt', `a cost of ${bearable.bcryptCost}`],
    ['scrypt', `n · r · p of ${bearable.scryptWork}`],
    [
      'Argon2',
      `${bearable.argon2Memory} KiB; ${bearable.argon2Work} KiB times passes; ${bearable.argon2Turns} passes times lanes`,
    ],
    ['PBKDF2', `${bearable.pbkdf2Iterations} rounds`],
  ],
)}

- **HMAC-SHA-1**: for codes of authenticator apps (RFC 6238, 6 digits, 30 seconds), because every app computes them so. Nobody needs a collision
  there. The time is that of the database’s clock, with one step of tolerance, and each step is good once.
- **SHA-256**: for random secrets, which need no salt, and for names (statements, assets, folders).

## Signed tokens

A tenant’s first token makes its key: RSA, 2048 bits, public exponent 65537. Tokens are signed with RS256 (RSASSA-PKCS1-v1_5 with SHA-256) by \`node:crypto\`, because
every library verifies it. The private key is stored as PKCS #8, encrypted with the key \`signing-key\`; an opened one is kept only in memory. The
public key is published, with its thumbprint (RFC 7638) as its id. A key signs for ${signingPeriod / 86_400} days. The next one is published ${lead / 3_600} hours before it signs, and a
replaced key is deleted when the longest session is over in which it has signed, by the tenant’s setting, and a margin for clocks: an
application sends back ID tokens that have expired to say of whom it speaks. \`guildhall tenant rotate-keys\` replaces a key
earlier; with \`--now\`, it withdraws all others. The same keys sign ID tokens of applications, which live for ${idTokenLifetime / 60} minutes, and the tokens that
tell applications of ended sessions. These live for two minutes, and each try makes its own.

## Signatures of others

| Whose | Algorithms | Verified by |
| --- | --- | --- |
| passkeys (WebAuthn) | EdDSA, ES256, RS256 | \`@simplewebauthn/server\`, in \`src/domain/credentials/passkey-verification.ts\` |
| ID tokens of sign-in providers | RS256 and PS256 with 2048 bits or more, ES256, EdDSA | \`oauth4webapi\`, in \`src/domain/providers/exchange.ts\` |

Both use Node’s Web Crypto. Guildhall stores the public keys of passkeys, and fetches those of providers by https.

## Connections

Guildhall speaks plain HTTP and has no certificate: the proxy in front of it provides TLS. For PostgreSQL and the mail server, it is a TLS client as the
URL says, and checks the certificate (\`src/domain/mail/transport.ts\`, \`DATABASE_URL\` with \`sslmode=verify-full\`). It uses the protocols and ciphers of
Node 24 (TLS 1.2 and 1.3). The same applies to a trace collector with an \`https:\` URL. Metrics are unencrypted, on a separate port, if configured.

## When an algorithm is broken

Quantum computers do not break 256-bit hashes and MACs, AES-256 or Argon2id. They break the signatures of passkeys, of signed tokens and of today’s providers. Browsers and
providers must offer others first; people then add new passkeys. TLS comes from Node and the proxy. Hybrid key exchange (X25519MLKEM768) comes with their
OpenSSL. Signed tokens are believed for an hour at most: a new algorithm is a new kind of key in \`src/domain/signing-keys/\`, and a rotation. A stored
password hash names its algorithm. A new algorithm goes into \`hashSecretly\`, and sign-ins then replace the old hashes. Seeds of
authenticator apps, client secrets of providers, signing keys and secrets of webhooks are encrypted again when the secret changes. All other
encrypted and counted data end by themselves (“Valid until” above). To change their algorithm, add a new use to the tables of
\`src/platform/keys.ts\`, and wait for the end of what the old use has made.
`
}

/** @returns the seconds in words */
function time(seconds: number): string {
  if (seconds % 86_400 === 0 && seconds > 86_400) return `${seconds / 86_400} days`
  return seconds % 3600 === 0 && seconds > 3600 ? `${seconds / 3600} hours` : `${seconds / 60} minutes`
}
