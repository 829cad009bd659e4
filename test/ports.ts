/** Ports for servers that are started later. */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Of those that no connection gets by itself: tests that run beside this one open many. */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_000)
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!isFree) return freePort()
  await new Promise((resolve) => server.close(resolve))
  return port
}
