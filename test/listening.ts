/** Servers of tests, such as those of products, which run in the process of the test. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

/** Listens on a free port of this machine until the tests of the file have ended. @returns the origin */
export async function listenLocally(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
}
