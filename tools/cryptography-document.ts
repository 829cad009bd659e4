/** docs/security/cryptography.md: every key, hash, token and random value, as the code declares them. */
import { linkLifetimes, setUpLifetime } from '../src/domain/access/tokens.ts'
import { bearable } from '../src/domain/credentials/foreign-algorithms.ts'
import { cost, macs, seals, secrets } from '../src/platform/cryptography.ts'
import { cursorLifetime } from '../src/platform/http/pagination.ts'
import { cryptographers, dice } from './findings.ts'
import { table } from './markdown.ts'

/** Where each random secret is kept, until when it opens something, and how it is replaced. */
const lives: Readonly<Record<keyof typeof secrets, readonly [kept: string, until: string, replaced: string]>> = {
  ghs: [
    'SHA-256 in `sessions`',
    'its end, or the idle or absolute time of the tenant (14 and 30 days)',
    'each sign-in makes one; nothing renews one',
  ],
  ghu: [
    'SHA-256 in `set_up_links`',
    `${time(setUpLifetime)}, or the first admin`,
    'each start without an admin makes one',
  ],
  device: [
    'SHA-256 in `known_devices`',
    '400 days without use, or a password reset',
    'made by the first sign-in of a browser',
  ],
  root: ['a file beside the data, for its owner alone', 'the operator’s change', 'see “Rotation”'],
  database: [
    'a file beside the data, for its owner alone',
    'the life of the data',
    'by making the data anew from a backup',
  ],
  mailbox: ['in memory', 'the stop of the service', 'each start makes one, unless `MAILBOX_KEY` is set'],
  nobody: ['in memory, as its hash', 'the stop of the service', 'each start makes one'],
}

/** Until when what is made under each key means something. */
const validity: Readonly<Record<keyof typeof macs | keyof typeof seals, string>> = {
  'mailed-token': 'see “Mailed links”',
  guessing: '30 days; from 100 failures on until a reset',
  once: 'the job is done',
  rate: 'the rate’s time is over',
  idempotency: '24 hours',
  cursor: time(cursorLifetime),
  job: 'the job is done; a goodbye 24 hours at most',
}

export function describeCryptography(): string {
  const keyed = (uses: Readonly<Record<string, string>>, algorithm: string) =>
    Object.entries(uses).map(([use, of]) => [`\`${use}\``, algorithm, of, validity[use as keyof typeof validity]])
  return `# What is computed with keys and random numbers

Made from the code by \`npm run docs\`; a check of \`npm test\` refuses it when it is not what the code says (ASVS 5.0, 11.1.1 to 11.1.4).

Everything of the service stands in \`src/platform/cryptography.ts\`, by Node’s \`node:crypto\` (OpenSSL) alone, but for bcrypt of imported passwords. There is no certificate, no key pair and no
signature of ours. What may call \`node:crypto\` at all:

${table(
  ['File', 'What for'],
  Object.entries(cryptographers).map(([path, why]) => [`\`${path}\``, why]),
)}

\`Math.random\` spreads waiting times and decides nothing else: ${Object.keys(dice)
    .map((path) => `\`${path}\``)
    .join(', ')}. A check finds any other use of either.

## Keys

\`GUILDHALL_SECRET\` is the one secret that the operator keeps: a list of at least 32 characters each, newest first. Each use has a
key of its own of 256 bits, derived by HKDF-SHA-256 with the use as its info, when it is first needed, and kept in memory alone. A
value that was made for one use means nothing for another. A MAC is of length-prefixed parts, so that no two lists of parts run
together, and is compared in constant time. A nonce has 96 random bits for each text; what is bound to a text but not in it
(tenant, route, caller) is authenticated with it.

${table(['Use', 'Algorithm', 'What it protects', 'Means something until'], [...keyed(macs, 'HMAC-SHA-256'), ...keyed(seals, 'AES-256-GCM')])}

**Rotation.** Put a new secret first: it makes everything from then on, and all in the list check. Leave the old one in it until
what it made has expired (the longest is seven days), then take it away. Counters of guesses and rates begin anew with a new secret.
Change it each year, when somebody leaves who knew it, and at once when it may have leaked: then without the old one, which makes
every mailed link and cursor void. Sessions and passwords do not depend on it. Nobody but the operator and the service has it; it
belongs in no backup of the database, since what is sealed or counted there would open with it.

## Random secrets

By the operating system’s generator, through \`randomBytes\`, each of at least 128 bits. What is handed to people is kept
as a hash alone.

${table(
  ['Secret', 'Bits', 'What it is', 'Kept as', 'Good until', 'Replaced'],
  Object.entries(secrets).map(([kind, { bytes, of }]) => [
    `\`${kind}\``,
    `${bytes * 8}`,
    of,
    ...lives[kind as keyof typeof secrets],
  ]),
)}

Random but no secret: the subjects by which the audit log speaks of people (128 bits), ids (UUIDv7), request ids, suffixes of slugs
and names of files.

## Mailed links

\`ghm_<tenant>.<row>.<mac>\`: nothing of them is kept. The MAC is of purpose, tenant, row and generation under the key
\`mailed-token\`; a higher generation, or a use, spends them.

${table(
  ['Purpose', 'Lives'],
  Object.entries(linkLifetimes).map(([purpose, seconds]) => [`\`${purpose}\``, time(seconds)]),
)}

## Hashes

- **Passwords**: Argon2id, m = ${cost.memory} KiB, t = ${cost.passes}, p = ${cost.parallelism}, a salt of 128 random bits, a result of 256 bits, of the password in NFKC. The
  parameters stand in each hash; one with others than these is made anew at the next sign-in.
- **Passwords of other products**, as they were imported: bcrypt (by \`bcryptjs\`, in a thread of its own), scrypt, Argon2 and PBKDF2. They
  are verified as they are and then made anew by Argon2id, at the next sign-in (but for bcrypt, where 72 bytes or more are typed: it
  says nothing of what follows); what costs more than bcrypt ${bearable.bcryptCost}, scrypt with n · r · p of ${bearable.scryptWork}, Argon2 with ${bearable.argon2Memory} KiB and ${bearable.argon2Work} KiB times passes or ${bearable.argon2Turns} passes times lanes, or ${bearable.pbkdf2Iterations} rounds of
  PBKDF2 is not imported. AES-256-CTR is the last step of Firebase’s scrypt, and is used for nothing else.
- **SHA-256**: of random secrets, which need no salt, and of names (statements, assets, folders).

## On the way

Guildhall speaks plain HTTP and has no certificate: TLS is the proxy’s in front of it. To PostgreSQL and to the mail server it is a
TLS client as the URL says, with the certificate checked (\`src/domain/mail/mail.ts\`, \`DATABASE_URL\` with \`sslmode=verify-full\`), by the
protocols and ciphers of Node 24 (TLS 1.2 and 1.3). So it is to a collector of traces whose URL begins with \`https:\`. Metrics are read in
clear on a port of their own, where one is set.

## When an algorithm falls

Hashes and MACs of 256 bits, AES-256 and Argon2id are not what a quantum computer breaks; there is no public-key cryptography here
to replace. TLS comes from Node and from the proxy: hybrid key exchange (X25519MLKEM768) comes with their OpenSSL. Stored password
hashes name their algorithm; a new one goes into \`hashSecretly\`, and old hashes are made anew as their owners sign in. Nothing else
that is kept for long depends on a key: what is sealed or counted lives for days, so a change of algorithm is a new use in the
tables of \`src/platform/cryptography.ts\` and a week of both.
`
}

/** @returns so many seconds, in words */
function time(seconds: number): string {
  if (seconds % 86_400 === 0 && seconds > 86_400) return `${seconds / 86_400} days`
  return seconds % 3600 === 0 ? `${seconds / 3600} hours` : `${seconds / 60} minutes`
}
