/** The page of the mailbox, where there is no mailbox. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '../../test/world.ts'

const world = await createWorld({ settings: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@example.com' } })

test('with an SMTP server there is no page for the mailbox', async () => {
  for (const path of ['/mailbox', '/pages/mailbox.js']) assert.equal((await fetch(world.url + path)).status, 404, path)
})
