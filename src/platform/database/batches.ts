/** Batches: the statements of one moment, which are sent in one pipeline. */
import type { Sql as Statement } from 'sql-template-tag'
import type { Pipeline, Row } from './pipeline.ts'

declare const atOnce: unique symbol
/**
 * The answers to statements that all go out in one pipeline. No statement waits for the answer to another one, so the commit may go out with
 * them. An async function has no such type: what it does after an answer, nobody can see.
 */
export type Sent<T> = Promise<T> & { readonly [atOnce]: true }

type Answers<Elements extends readonly unknown[]> = { -readonly [Index in keyof Elements]: Awaited<Elements[Index]> }

/**
 * Sends statements together: one trip to the server. They run one after the other, in the order of the list.
 *
 * Each element is a statement, or a function's promise whose first statement joins the others; `false` stands for nothing to do. Without
 * this function, statements that are awaited one by one take a trip each.
 *
 * @throws what the first that failed has thrown, once all of them are over
 */
export function pipeline<const Elements extends readonly (Sent<unknown> | false | undefined)[]>(
  elements: Elements,
): Sent<Answers<Elements>>
export function pipeline<const Elements extends readonly unknown[]>(elements: Elements): Promise<Answers<Elements>>
export function pipeline(elements: readonly unknown[]): Promise<unknown[]> {
  return Promise.allSettled(elements).then(() => Promise.all(elements))
}

interface Batches {
  /** Sends a statement, in one pipeline with the others of the same moment. If one of them fails, all of them fail. */
  send(statement: Statement): Sent<Row[]>
  /** Accepts no more statements, and waits for those that were sent. @returns whether all of them succeeded */
  finish(): Promise<boolean>
}

/** @param sendAll sends statements as one pipeline */
export function batches(sendAll: (statements: readonly Statement[]) => Promise<Pick<Pipeline, 'rows'>>): Batches {
  let waiting: { sent: Statement; answer: PromiseWithResolvers<Row[]> }[] = []
  let running = Promise.resolve()
  let isOver = false
  let isDone = true
  const start = async () => {
    const batch = waiting
    waiting = []
    try {
      // What began the transaction may have failed.
      if (!isDone) throw new Error('A statement of the transaction had failed before.')
      const { rows } = await sendAll(batch.map(({ sent }) => sent))
      for (const [index, { answer }] of batch.entries()) answer.resolve(rows[index] ?? [])
    } catch (error) {
      isDone = false
      for (const { answer } of batch) answer.reject(error)
    }
  }
  return {
    send: (sent) => {
      const answer = Promise.withResolvers<Row[]>()
      answer.promise.catch(() => {}) // if nobody waits for it, `finish` tells of it
      // It would run outside of any transaction, or in the next one on this connection.
      if (isOver) answer.reject(new Error('A statement was sent after its transaction had ended.'))
      else if (waiting.push({ sent, answer }) === 1) running = running.then(start)
      return answer.promise as Sent<Row[]> // it goes out with the others of this moment
    },
    finish: async () => {
      isOver = true
      await running
      return isDone
    },
  }
}
