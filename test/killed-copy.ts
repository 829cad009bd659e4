/**
 * Kills a program with a connection to PostgreSQL, as `kill -9` would: `node --import ./killed-copy.ts program.mjs`. KILL_AT names a part of
 * a statement, how many such statements there are until then, and the moment: before the last one is sent, while PostgreSQL has it, or after
 * its answer.
 */
import pg from 'pg'

const [, part = '', count = '', moment = ''] = /^(.+) (\d+) (before|while|after)$/.exec(process.env.KILL_AT ?? '') ?? []
let left = Number(count)

const die = () => process.kill(process.pid, 'SIGKILL')
const { prototype } = pg.Client
const send = prototype.query as (this: pg.Client, ...sent: readonly unknown[]) => Promise<unknown> // no callbacks

Object.assign(prototype, {
  async query(this: pg.Client, ...sent: readonly unknown[]) {
    const isIt = part !== '' && `${sent[0]}`.includes(part) && --left === 0
    if (isIt && moment === 'before') die()
    const answer = send.apply(this, [...sent])
    if (isIt && moment === 'while') setImmediate(die)
    const result = await answer
    if (isIt && moment === 'after') die()
    return result
  },
})
