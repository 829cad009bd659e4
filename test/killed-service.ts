/**
 * A service that kills itself, as `kill -9` would: no handler runs, and no connection is closed by us.
 *
 * KILL_AT names a statement of the relay and the moment: before it is sent, while PostgreSQL has it, or after its answer. Only what this
 * process itself has written to the outbox counts, not what it finds there when it starts. Or it is `tokens`: then the service dies when it
 * has committed what an application gets, and before it answers. Or it is `webhook`: then it dies when the server of a webhook has answered,
 * and before that is committed.
 */
import { listen, pipelines, tokensAnswered, webhookAttempt } from '../src/platform/channels.ts'

/** The pipelines of a batch, each known by a part of its text. Its commit is the first one after the jobs were added. */
const steps = { look: 'from feeds', add: 'add_jobs', commit: 'commit' } as const

const [step = '', moment = ''] = (process.env.KILL_AT ?? '').split(' ')
let next: keyof typeof steps | 'write' = 'write'

const die = () => process.kill(process.pid, 'SIGKILL')
const isAt = (work: unknown): boolean => {
  const { statements } = work as { statements: readonly (string | { readonly text: string })[] } // as pipelines has it
  const text = statements.map((each) => (typeof each === 'string' ? each : each.text)).join('\n')
  return text.includes(next === 'write' ? 'insert into outbox' : steps[next])
}
const following = { write: 'look', look: 'add', add: 'commit', commit: 'commit' } as const

pipelines.subscribe({
  start(work) {
    if (!isAt(work) || next !== step) return
    if (moment === 'before') die()
    if (moment === 'while') setImmediate(die)
  },
  end() {},
  asyncStart() {},
  asyncEnd(work) {
    if (!isAt(work)) return
    if (next === step && moment === 'after') die()
    next = following[next]
  },
  error() {},
})

if (step === 'tokens')
  listen(tokensAnswered, ({ outcome }) => {
    if (outcome === 'issued') die()
  })

if (step === 'webhook') listen(webhookAttempt, die)

await import('../src/main.ts')
