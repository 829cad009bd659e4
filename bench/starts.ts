/** Starts: the time until the service is ready with existing embedded data, started like npm start but without npm. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../test/ports.ts'
import { folder } from './data.ts'
import { awaitReady } from './programs.ts'

const launcher = join(import.meta.dirname, '../tools/run.mjs')

/** @returns the milliseconds of each start */
export async function measureStarts(count: number): Promise<number[]> {
  await start() // makes the data, and the console if it is not built
  const times: number[] = []
  for (let round = 0; round < count; round++) times.push(await start())
  return times
}

async function start(): Promise<number> {
  const port = await freePort()
  const begin = performance.now()
  const child = spawn(process.execPath, [launcher, 'src/main.ts', 'serve'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      PORT: String(port),
      GUILDHALL_DATA: join(folder, 'start'),
    },
  })
  await awaitReady(child, `http://127.0.0.1:${port}/readyz`)
  const time = performance.now() - begin
  child.kill('SIGTERM')
  await once(child, 'exit')
  return time
}
