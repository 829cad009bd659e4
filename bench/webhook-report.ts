/** The report on webhooks, as tables. */

import { waiting } from './relay.ts'
import { about } from './report.ts'
import type { Results } from './results.ts'
import { webhooks as count, wanted } from './senders.ts'
import { milliseconds, round, short, table } from './tables.ts'

/** @returns undefined if they were not measured */
export function webhookTables(results: Results): string | undefined {
  const { webhooks } = results
  if (!webhooks) return undefined
  const { quiet, changes, storm, rates, delays, costs, relayed } = webhooks
  const row = (name: string, rate: number, { p50, p99 }: typeof quiet) => [
    name,
    rate > 0 ? round(rate) : '–',
    milliseconds(p50),
    milliseconds(p99),
    short(p99 / quiet.p99),
  ]
  const latencies = table(
    ['`me` over four connections', 'changes/s', 'p50, ms', 'p99, ms', 'of the p99 alone'],
    [
      row('alone', 0, quiet),
      row(`beside changes of profiles, ${wanted.rate} a second at most`, rates.changes, changes),
      row(`the same with ${count} webhooks, half of them dead`, rates.storm, storm),
    ],
  )
  const events = table(
    ['From the answer of a change to its event at an endpoint', 'p50, ms', 'p95, ms'],
    [
      ['one change at a time', milliseconds(delays.alone.p50), milliseconds(delays.alone.p95)],
      ['in that storm', milliseconds(delays.storm.p50), milliseconds(delays.storm.p95)],
    ],
  )
  const changed = table(
    ['A change of a profile, with its events', 'CPU time, µs', 'times', 'for each event sent, µs'],
    [
      ['without webhooks', round(costs.none), '', ''],
      ['one webhook', ...costsOf(costs.one, costs.none, 1)],
      [`${count} webhooks`, ...costsOf(costs.all, costs.none, count)],
    ],
  )
  const came = `In the storm and until all its events had come, ${round(rates.events)} events a second came to endpoints.`
  const rate = `If ${round(waiting)} rows wait in the outbox, the relay brings ${round(relayed)} a second into the feed.`
  return [about(results), latencies, events, came, changed, rate].join('\n\n')
}

function costsOf(cost: number, without: number, events: number): string[] {
  return [round(cost), short(cost / without), round((cost - without) / events)]
}
