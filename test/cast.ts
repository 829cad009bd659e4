/** The cast: the people in the code of docs/build (docs/build/README.md). test/docs.deep.test.ts creates them for each page. */
import type { Guildhall } from '../client/src/index.ts'

interface Stage {
  /** Without a session. */
  guildhall: Guildhall
  /** Owner, admin and member of Acme. */
  ann: Guildhall
  bob: Guildhall
  cleo: Guildhall
  /** In no organization. */
  dan: Guildhall
  /** An admin of the tenant. */
  tess: Guildhall
  /** The token of the newest link to this page that was mailed to somebody. */
  mailed(email: string, page: string): Promise<string>
  /** The next code of an authenticator app with this seed. */
  totpOf(secret: string): string
  /** The code that was mailed for an attempt. */
  mailedCode(attempt: string): Promise<string>
  /** Lets the last sign-in of somebody be an hour ago. */
  age(email: string): Promise<void>
  /** The issuer of a provider, and what a browser brings back from it. */
  issuer: string
  atProvider(url: string, claims: object): { code: string; state: string }
  /** The first block of the page in this language. */
  shown(language: string): string
  /** Replaces a `console.log` whose comment shows its output. */
  print(place: string, expected: string, ...values: readonly unknown[]): void
}

/** Empty before the first page. */
export const stage = {} as Stage
