import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTransport } from './transport.ts'

test('a transport that could not be opened is opened anew, and can be closed', async () => {
  const transport = openTransport({ smtpUrl: 'not a URL' })
  assert.ok(transport)
  const opening = transport.open()
  await Promise.all([assert.rejects(opening, TypeError), transport.close()])
  await transport.close()

  const again = transport.open()
  assert.notEqual(again, opening)
  await assert.rejects(again, TypeError)
})
