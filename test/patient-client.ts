/** The client of tests that are not about its timeout. */
import * as client from '../client/src/index.ts'
import { timeout } from './timeout.ts'

/** Makes a client that waits for an answer as long as tests wait. */
export const createGuildhall = ((options: client.TokenOptions) =>
  client.createGuildhall({ timeout, ...options })) as typeof client.createGuildhall // the options of all clients have a timeout
