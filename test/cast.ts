/** The cast: who the code in docs/build speaks of (docs/build/README.md), as test/docs.test.ts sets it up for each page. */
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
  /** The token of the newest link that was mailed to somebody and leads to this page. */
  mailed(email: string, page: string): Promise<string>
  /** Stands for a `console.log` that says in a comment what it prints. */
  print(place: string, expected: string, ...values: readonly unknown[]): void
}

/** Empty before the first page. */
export const stage = {} as Stage
