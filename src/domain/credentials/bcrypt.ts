/**
 * Bcrypt, for hashes of other products. It is computed by JavaScript, which would hold up every request meanwhile, so each check has
 * a thread of its own; that takes some 30 ms longer, and an account is checked so once.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

interface Task {
  readonly bcrypt: { readonly password: string; readonly hash: string }
}

/** @param hash `$2a$`, `$2b$` or `$2y$` */
export function matchesBcrypt(password: string, hash: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const task: Task = { bcrypt: { password, hash } }
    const thread = new Worker(new URL(import.meta.url), { workerData: task })
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('The thread ended before it had compared.'))) // ignored after an answer
  })
}

if (!isMainThread && (workerData as Partial<Task> | null)?.bcrypt) {
  const { password, hash } = (workerData as Task).bcrypt
  const { compareSync } = await import('bcryptjs')
  parentPort?.postMessage(compareSync(password, hash))
}
