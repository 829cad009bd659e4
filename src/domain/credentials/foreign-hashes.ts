/**
 * Foreign hashes: passwords as other products have hashed them, which came with an import. Each is replaced by one of ours when its
 * owner next signs in, unless it says nothing of the end of what was typed. Here are the forms that they come in.
 */
import { deriveByScrypt, encryptByAes256Ctr, isEqualBytes, sha256 } from '../../platform/cryptography.ts'
import { type ForeignHash, type Parts, readArgon2, readBcrypt, readPbkdf2, readScrypt } from './foreign-algorithms.ts'

/** @returns how to verify it, or undefined when its form is unknown */
export function readForeignHash(text: string): ForeignHash | undefined {
  for (const [form, read] of forms) {
    const groups = form.exec(text)?.groups
    if (groups) return read(groups as Parts)
  }
  return undefined
}

const b64 = '[A-Za-z0-9+/]+={0,2}'
const bcrypt = '\\$2[aby]\\$(?<cost>\\d\\d)\\$[./A-Za-z0-9]{53}'

/** The forms, each with what makes a verification of its named groups. */
const forms: readonly (readonly [RegExp, (parts: Parts) => ForeignHash | undefined])[] = [
  // As everybody writes it; Django puts a name before it.
  [new RegExp(`^(?:bcrypt\\$)?(?<hash>${bcrypt})$`), readBcrypt],
  // Django: of the password's SHA-256 in hexadecimal.
  [
    new RegExp(`^bcrypt_sha256\\$(?<hash>${bcrypt})$`),
    (parts) => readBcrypt(parts, (password) => sha256(password).toString('hex')),
  ],
  // PHC; Django puts a name before it.
  [
    new RegExp(
      `^(?:argon2)?\\$argon2(?<variant>id|i)\\$v=19\\$m=(?<m>\\d+),t=(?<t>\\d+),p=(?<p>\\d+)\\$(?<salt>${b64})\\$(?<key>${b64})$`,
    ),
    ({ variant, m, t, p, salt, key }) =>
      readArgon2({ variant, memory: m, passes: t, lanes: p, salt: fromBase64(salt), key: fromBase64(key) }),
  ],
  // PHC and Auth0
  [
    new RegExp(`^\\$scrypt\\$ln=(?<ln>\\d{1,2}),r=(?<r>\\d+),p=(?<p>\\d+)\\$(?<salt>${b64})\\$(?<key>${b64})$`),
    ({ ln, r, p, salt, key }) => readScrypt({ n: 2 ** Number(ln), r, p, salt: fromBase64(salt), key: fromBase64(key) }),
  ],
  // Django
  [
    new RegExp(`^scrypt\\$(?<n>\\d+)\\$(?<salt>[^$]+)\\$(?<r>\\d+)\\$(?<p>\\d+)\\$(?<key>${b64})$`),
    ({ n, salt = '', r, p, key }) => readScrypt({ n, r, p, salt: Buffer.from(salt), key: fromBase64(key) }),
  ],
  // Werkzeug
  [
    /^scrypt:(?<n>\d+):(?<r>\d+):(?<p>\d+)\$(?<salt>[^$]+)\$(?<key>(?:[0-9a-f]{2})+)$/,
    ({ n, r, p, salt = '', key = '' }) =>
      readScrypt({ n, r, p, salt: Buffer.from(salt), key: Buffer.from(key, 'hex') }),
  ],
  // better-auth: the salt is its hexadecimal text
  [
    /^(?<salt>[0-9a-f]{32}):(?<key>[0-9a-f]{128})$/,
    ({ salt = '', key = '' }) =>
      readScrypt({ n: 16_384, r: 16, p: 1, salt: Buffer.from(salt), key: Buffer.from(key, 'hex') }, (password) =>
        password.normalize('NFKC'),
      ),
  ],
  // Firebase, with the parameters of its project, as Supabase writes it
  [
    new RegExp(
      `^\\$fbscrypt\\$v=1,n=(?<n>\\d{1,2}),r=(?<r>\\d+),p=(?<p>\\d+),ss=(?<separator>${b64}),sk=(?<signer>${b64})\\$(?<salt>${b64})\\$(?<key>${b64})$`,
    ),
    readFirebase,
  ],
  // Django
  [
    new RegExp(`^pbkdf2_(?<digest>sha1|sha256)\\$(?<iterations>\\d+)\\$(?<salt>[^$]+)\\$(?<key>${b64})$`),
    ({ digest, iterations, salt = '', key }) =>
      readPbkdf2({ digest, iterations, salt: Buffer.from(salt), key: fromBase64(key) }),
  ],
  // PHC and Auth0; passlib, with a dot for the plus
  [
    /^\$pbkdf2(?:-(?<digest>sha1|sha256|sha512))?\$(?:i=(?<i>\d+)(?:,l=\d+)?|(?<iterations>\d+))\$(?<salt>[A-Za-z0-9+/.]+={0,2})\$(?<key>[A-Za-z0-9+/.]+={0,2})$/,
    ({ digest = 'sha1', i, iterations = i, salt, key }) =>
      readPbkdf2({ digest, iterations, salt: fromBase64(salt), key: fromBase64(key) }),
  ],
  // Werkzeug
  [
    /^pbkdf2:(?<digest>sha1|sha256|sha512):(?<iterations>\d+)\$(?<salt>[^$]+)\$(?<key>(?:[0-9a-f]{2})+)$/,
    ({ digest, iterations, salt = '', key = '' }) =>
      readPbkdf2({ digest, iterations, salt: Buffer.from(salt), key: Buffer.from(key, 'hex') }),
  ],
  // Keycloak: a credential as its realm's export has it
  [/^(?<credential>\{[\s\S]*\})$/, ({ credential = '' }) => readKeycloak(credential)],
]

/** Firebase's: the project's signer key, encrypted under what scrypt derives. */
function readFirebase({ n, r, p, separator, signer, salt, key }: Parts): ForeignHash | undefined {
  const [signerKey, encrypted] = [fromBase64(signer), fromBase64(key)]
  const whole = Buffer.concat([fromBase64(salt), fromBase64(separator)])
  const derivation = readScrypt({ n: 2 ** Number(n), r, p, salt: whole, key: encrypted })
  if (!derivation) return undefined
  const cost = { n: 2 ** Number(n), r: Number(r), p: Number(p) }
  return {
    ...derivation,
    matches: async (password) =>
      isEqualBytes(encryptByAes256Ctr(await deriveByScrypt(password, whole, cost, 32), signerKey), encrypted),
  }
}

/** What Keycloak keeps of a password: two texts of JSON, or what they say. */
function readKeycloak(text: string): ForeignHash | undefined {
  const { secretData, credentialData } = readJson(text)
  const { value, salt } = readJson(secretData)
  const { algorithm, hashIterations, additionalParameters } = readJson(credentialData)
  if (typeof value !== 'string' || typeof salt !== 'string' || typeof hashIterations !== 'number') return undefined
  const secret = { salt: fromBase64(salt), key: fromBase64(value) }
  if (algorithm === 'argon2') {
    const { type, version, memory, parallelism } = readJson(additionalParameters)
    const variant = String(type)
    if (!['i', 'id'].includes(variant) || String(version) !== '1.3') return undefined
    return readArgon2({
      ...secret,
      variant,
      memory: String(memory),
      passes: hashIterations,
      lanes: String(parallelism),
    })
  }
  const digest = /^pbkdf2(?:-(sha256|sha512))?$/.exec(String(algorithm))
  return digest ? readPbkdf2({ ...secret, digest: digest[1] ?? 'sha1', iterations: hashIterations }) : undefined
}

/** @returns an object, of a text or as it is; an empty one when it is none */
function readJson(value: unknown): Readonly<Record<string, unknown>> {
  try {
    return Object(typeof value === 'string' ? JSON.parse(value) : value)
  } catch {
    return {}
  }
}

function fromBase64(text = ''): Buffer {
  return Buffer.from(text.replaceAll('.', '+'), 'base64')
}
