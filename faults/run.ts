/**
 * npm run faults: breaks the environment of the service under load, and checks the result. Ten minutes at most.
 *
 *   npm run faults                 all scenarios
 *   npm run faults -- killed       scenarios with this word in their names
 */
import { test } from 'node:test'
import { jumpingClock } from './clock.ts'
import {
  endedPostgres,
  killedEmbedded,
  poolOfTwo,
  readOnlyPostgres,
  starvedPool,
  terminatedConnections,
} from './database.ts'
import { fullDisk } from './disk.ts'
import { frozenPrimary, killedPrimary } from './failover.ts'
import { hotRows } from './hot-rows.ts'
import { failingMailServer } from './mail.ts'
import {
  distantPostgres,
  forgottenConnections,
  lostAnswers,
  resetInCommit,
  silentNetwork,
  stoppedInSilence,
} from './network.ts'
import { restartedBehindProxy } from './proxied.ts'
import { sharedRates } from './rates.ts'
import {
  killedBetweenCommitAndAnswer,
  killedInTurn,
  killedService,
  killedServing,
  stoppedUnderLoad,
} from './service.ts'

const scenarios = {
  'the service is killed under load, again and again': killedService,
  'the service is killed between commit and answer': killedBetweenCommitAndAnswer,
  'two services serve at once, and are killed in turn': killedInTurn,
  'serving processes are killed under load, one by one': killedServing,
  'two services are stopped under load and lose no request': stoppedUnderLoad,
  'two services behind a proxy are restarted in turn, and lose no request': restartedBehindProxy,
  'two services share the sensitive rates': sharedRates,
  'clients lose their connections to the service': lostAnswers,
  'PostgreSQL is killed, stopped at once and stopped in order': endedPostgres,
  'the embedded PostgreSQL is killed, and the service with it': killedEmbedded,
  'PostgreSQL ends every connection, many times a second': terminatedConnections,
  'PostgreSQL is a standby, and then lets nobody write': readOnlyPostgres,
  'the primary is killed, and its standby promoted': killedPrimary,
  'the primary freezes, and wakes up after its standby was promoted': frozenPrimary,
  'the disk of PostgreSQL is full': fullDisk,
  'a table is locked, and 200 clients wait for the pool': starvedPool,
  'two connections serve 200 clients': poolOfTwo,
  'many want one organization and one account, and others are served as before': hotRows,
  'connections to PostgreSQL are reset in the middle of a commit': resetInCommit,
  'the network to PostgreSQL goes silent': silentNetwork,
  'the network is silent, and the service is asked to stop': stoppedInSilence,
  'PostgreSQL is 300 ms away': distantPostgres,
  'connections to PostgreSQL are forgotten on the way': forgottenConnections,
  'the mail server stalls, refuses, hangs up and is down': failingMailServer,
  'the clock of a service jumps': jumpingClock,
}

const [word = '', ...surplus] = process.argv.slice(2)
const chosen = Object.entries(scenarios).filter(([name]) => name.includes(word))
if (chosen.length === 0 || surplus.length > 0) {
  const names = Object.keys(scenarios).map((name) => `  ${name}`)
  console.error(`usage: npm run faults [-- <a word of a scenario's name>]. The scenarios are:\n${names.join('\n')}`)
  process.exit(2)
}

test('faults', { timeout: 600_000 }, async (t) => {
  for (const [name, play] of chosen)
    await t.test(name, { timeout: 120_000 }, async (t) => console.log(`${name}: ${await play(t)}`))
})
