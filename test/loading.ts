/**
 * A test file that throws while it is loaded fails. tools/batches.ts loads this file first in each test process: the test runner drops the
 * error if the file has already registered a test, and with it the tests that would have followed.
 */
import { subscribe } from 'node:diagnostics_channel'

subscribe('tracing:module.import:error', (message) => {
  const { url, error } = message as { readonly url: string | URL; readonly error: unknown } // as Node.js documents
  if (!String(url).endsWith('.test.ts')) return
  console.error(`${url} cannot be loaded:`, error)
  process.once('exit', () => {
    process.exitCode = 1
  })
})
