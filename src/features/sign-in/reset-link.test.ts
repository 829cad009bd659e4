import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDeviceWorld } from '../../../test/devices.ts'
import { plainly } from '../../../test/plain.ts'
import { until } from '../../../test/smtp.ts'

const { world, sink } = await createDeviceWorld()
const send = plainly(world.url)
const { query } = world.postgres

/** The URL of the reset link that was mailed to an address, without its token. */
async function linkTo(email: string): Promise<string | undefined> {
  const find = () =>
    sink.arrived
      .filter(({ recipients }) => recipients.includes(email))
      .map(({ mail }) => /(\S+)#token=/.exec(mail.text ?? '')?.[1])
      .find((link) => link?.includes('reset-password'))
  await until(() => find() !== undefined, `the link to ${email}`)
  return find()
}

test('whatever Host, X-Forwarded-Host and Forwarded say, the link begins with the tenant’s own base', async () => {
  const { slug } = await world.tenant()
  await query('update tenants set base_url = $2 where slug = $1', [slug, 'https://shop.example/accounts'])
  const evil = 'evil.example'
  const spellings: Record<string, string>[] = [
    { host: evil },
    { host: `${evil}:8443` },
    { 'x-forwarded-host': evil, 'x-forwarded-proto': 'https' },
    {
      'x-forwarded-host': `accounts.example.com, ${evil}`,
      'x-forwarded-port': '8443',
      'x-forwarded-prefix': `/${evil}`,
    },
    { forwarded: `for=192.0.2.1;host=${evil};proto=https`, 'x-original-host': evil, origin: `https://${evil}` },
  ]
  for (const [tenant, base] of [
    ['default', world.app.config.publicUrl],
    [slug, 'https://shop.example/accounts'],
  ] as const) {
    for (const headers of spellings) {
      const { email } = await world.person('Ann', { tenant })
      const sent = { 'content-type': 'application/json', 'guildhall-tenant': tenant, ...headers }
      const { status } = await send('POST', '/api/auth/forgot-password', sent, JSON.stringify({ email }))
      assert.equal(status, 202)
      assert.equal(await linkTo(email), `${base}/reset-password`, JSON.stringify(headers))
    }
  }
})
