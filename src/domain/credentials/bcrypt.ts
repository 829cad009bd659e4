/**
 * Bcrypt, for hashes of other products. It is computed by JavaScript, which would hold up every request meanwhile, so each check has
 * a thread of its own; that takes some 30 ms longer, and an account is checked so once.
 */
import { Worker } from 'node:worker_threads'

/** @param hash `$2a$`, `$2b$` or `$2y$` */
export function matchesBcrypt(password: string, hash: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('bcrypt-thread.js', import.meta.url), { workerData: { password, hash } })
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('The thread ended before it had compared.'))) // ignored after an answer
  })
}
