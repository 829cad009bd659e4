/** The thread of bcrypt.ts: compares one password with one hash. */
import { parentPort, workerData } from 'node:worker_threads'
import { compareSync } from 'bcryptjs'

const { password, hash } = workerData
parentPort.postMessage(compareSync(password, hash))
