/** What receives webhooks: requests that the libraries of others sign, and requests that an attacker makes of them. */
import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { checkSecrets, readWebhook, type Secrets, verifyWebhook, WebhookError } from './receiver.ts'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const [secret, other] = [newSecret(), newSecret()]
const id = 'aud_01k9zq3v5hf8gs4m2y7c6t0wdn'
const event = { id, type: 'user.deleted', sequence: 7, details: { name: 'Zoë' }, data: { user: null } }
const body = JSON.stringify(event)
const mebibyte = 1_048_576

const signers = {
  standardwebhooks: (by: string, at: Date, text: string) => new StandardWebhook(by).sign(id, at, text),
  svix: (by: string, at: Date, text: string) => new SvixWebhook(by).sign(id, at, text),
}

interface Options {
  readonly by?: readonly string[]
  /** In seconds from now on. */
  readonly later?: number
  readonly text?: string
  readonly sign?: (by: string, at: Date, text: string) => string
}

/** The headers of a good request. */
function headersOf({ by = [secret], later = 0, text = body, sign = signers.standardwebhooks }: Options = {}) {
  const at = new Date(Date.now() + later * 1_000)
  return {
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}`,
    'webhook-signature': by.map((each) => sign(each, at, text)).join(' '),
  }
}

function requestOf(headers: Readonly<Record<string, string>>, content: BodyInit | null = body): Request {
  return new Request('https://billing.example.com/guildhall', {
    method: 'POST',
    headers,
    body: content,
    duplex: 'half', // for streams
  } as RequestInit)
}

/** Both ways of reading. @returns the code of both */
async function refusalOf(headers: Readonly<Record<string, string>>, text = body, by: Secrets = secret) {
  const codes = await Promise.all([
    codeOf(readWebhook(requestOf(headers, text), by)),
    codeOf(verifyWebhook(headers, text, by)),
  ])
  assert.equal(codes[0], codes[1])
  return codes[0]
}

async function codeOf(reading: Promise<unknown>): Promise<string> {
  const error = await reading.then(
    () => assert.fail('it is believed'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof WebhookError, String(error))
  return error.code
}

for (const [name, sign] of Object.entries(signers))
  test(`a request that ${name} has signed is read, however the body came`, async () => {
    const headers = headersOf({ sign })
    const [first, second] = [body.slice(0, 9), body.slice(9)].map((part) => new TextEncoder().encode(part))

    assert.deepEqual(await readWebhook(requestOf(headers), secret), event)
    const stream = new ReadableStream({
      start(controller) {
        for (const part of [first, second]) controller.enqueue(part)
        controller.close()
      },
    })
    assert.deepEqual(await readWebhook(requestOf(headers, stream), secret), event)
    for (const raw of [body, Buffer.from(body), new TextEncoder().encode(body)])
      assert.deepEqual(await verifyWebhook(headers, raw, secret), event)
  })

test('headers are found in the objects of frameworks, in every spelling', async () => {
  const headers = headersOf()
  const capital = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))

  for (const each of [new Headers(headers), { host: 'a', ...headers }, { 'set-cookie': ['a'], ...capital }])
    assert.deepEqual(await verifyWebhook(each, body, secret), event)
})

test('during a rotation one matching pair of a secret and a signature is enough', async () => {
  const strange = 'v1a,c2lnbmF0dXJl'

  for (const by of [[secret], [other, secret], [secret, other]])
    for (const known of [secret, [secret], [newSecret(), secret], [secret, newSecret()]]) {
      const headers = headersOf({ by })
      headers['webhook-signature'] = `${strange} ${headers['webhook-signature']}`
      assert.deepEqual(await verifyWebhook(headers, body, known), event)
    }
  assert.equal(
    await refusalOf(headersOf({ by: [other, newSecret()] }), body, [secret, newSecret()]),
    'signature_mismatch',
  )
})

test('a request of which the id, the time, the body or the signature was changed is refused', async () => {
  const headers = headersOf()
  const signature = headers['webhook-signature']
  const timestamp = Number(headers['webhook-timestamp'])
  const changed = [
    { 'webhook-id': `${id}x` },
    { 'webhook-timestamp': `${timestamp + 1}` },
    { 'webhook-timestamp': `0${timestamp}` },
    { 'webhook-signature': signature.slice(0, -1) },
    { 'webhook-signature': signature.slice(0, -2) + (signature.at(-2) === 'A' ? 'B=' : 'A=') },
    { 'webhook-signature': `${signature}=` },
    { 'webhook-signature': signature.replace('v1,', '') },
    { 'webhook-signature': signature.replace('v1,', 'v2,') },
    { 'webhook-signature': 'v1,' },
    { 'webhook-signature': `v1,${'A'.repeat(43)}=` },
  ]

  for (const change of changed)
    assert.equal(await refusalOf({ ...headers, ...change }), 'signature_mismatch', JSON.stringify(change))
  for (const text of [`${body} `, body.replace('7', '8'), ''])
    assert.equal(await refusalOf(headers, text), 'signature_mismatch', text)
  assert.equal(await refusalOf(headers, body, other), 'signature_mismatch')
})

test('a part of the body cannot become a part of the id or of the time', async () => {
  const headers = headersOf({ text: `x.${body}` })
  const moved = { ...headers, 'webhook-timestamp': `${headers['webhook-timestamp']}.x` }

  assert.equal(await refusalOf(moved), 'timestamp_off')
})

test('a request is refused that was sent more than five minutes ago, or in the future', async () => {
  for (const later of [-280, 280]) assert.deepEqual(await verifyWebhook(headersOf({ later }), body, secret), event)
  for (const later of [-320, 320, -86_400, 86_400])
    assert.equal(await refusalOf(headersOf({ later })), 'timestamp_off', `${later}`)
})

test('a timestamp that is no number of seconds is refused, although it is signed', async () => {
  const now = Math.floor(Date.now() / 1_000)
  for (const timestamp of [
    `${now}.0`,
    `+${now}`,
    `${now}s`,
    new Date().toISOString(),
    'Infinity',
    'NaN',
    `${now}000`,
  ]) {
    const signed = createHmac('sha256', Buffer.from(secret.slice(6), 'base64')).update(`${id}.${timestamp}.${body}`)
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signed.digest('base64')}`,
    }
    assert.equal(await refusalOf(headers), 'timestamp_off', timestamp)
  }
})

test('a request without one of the headers is refused', async () => {
  const headers = headersOf()
  for (const name of Object.keys(headers)) {
    assert.equal(await refusalOf({ ...headers, [name]: '' }), 'missing_headers')
    assert.equal(await codeOf(verifyWebhook({ ...headers, [name]: undefined }, body, secret)), 'missing_headers')
  }
})

test('something that is no secret of a webhook is refused before all else', async () => {
  const bytes = (count: number) => `whsec_${randomBytes(count).toString('base64')}`
  const [form] = [secret.slice(6)]
  const malformed = [
    ...['', 'whsec_', form, `whpk_${form}`, `WHSEC_${form}`, ` ${secret}`, `${secret}\n`, secret.slice(0, -1)],
    ...[
      bytes(31),
      bytes(33),
      bytes(24),
      bytes(64),
      `${secret}=`,
      `whsec_${'A'.repeat(42)}B=`,
      `whsec_${'-'.repeat(43)}=`,
    ],
  ]

  for (const each of [
    ...malformed,
    [],
    [secret, ''],
    [undefined as unknown as string],
    undefined as unknown as string,
  ]) {
    assert.throws(() => checkSecrets(each), { code: 'invalid_secret' }, String(each))
    assert.equal(await codeOf(verifyWebhook({}, '', each)), 'invalid_secret')
    assert.equal(await codeOf(readWebhook(requestOf({}), each)), 'invalid_secret')
  }
  checkSecrets([secret, other])
})

test('a body of one mebibyte is read, and of a larger one no more than that', async () => {
  const whole = '{"type":"user.updated"}'.padEnd(mebibyte)
  assert.equal((await readWebhook(requestOf(headersOf({ text: whole }), whole), secret)).type, 'user.updated')
  assert.equal((await verifyWebhook(headersOf({ text: whole }), whole, secret)).type, 'user.updated')
  const larger = `${whole} `
  assert.equal(await refusalOf(headersOf({ text: larger }), larger), 'body_too_large')

  let [pulled, isCancelled] = [0, false]
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(++pulled)),
    cancel() {
      isCancelled = true
    },
  })
  assert.equal(await codeOf(readWebhook(requestOf(headersOf(), endless), secret)), 'body_too_large')
  assert.deepEqual([isCancelled, pulled <= 20], [true, true], `${pulled} parts were read`)
})

test('of a body that says its length, nothing is read if it is too large, or if a header is wrong', async () => {
  for (const [headers, code] of [
    [{ ...headersOf(), 'content-length': `${mebibyte + 1}` }, 'body_too_large'],
    [headersOf({ later: -320 }), 'timestamp_off'],
    [{}, 'missing_headers'],
  ] as const) {
    const request = requestOf(headers)
    assert.equal(await codeOf(readWebhook(request, secret)), code)
    assert.equal(request.bodyUsed, false)
  }
})

test('a signed body that is no event is refused', async () => {
  for (const text of ['', 'null', '7', '{', '[]', '{"type":7}', '"type"'])
    assert.equal(await refusalOf(headersOf({ text }), text), 'invalid_body', text)
})

test('a body that was read or parsed before is an error of the program', async () => {
  const request = requestOf(headersOf())
  await request.text()

  await assert.rejects(readWebhook(request, secret), TypeError)
  await assert.rejects(verifyWebhook(headersOf(), event as unknown as string, secret), TypeError)
})

test('no error quotes a secret or the request', async () => {
  for (const read of [
    () => verifyWebhook(headersOf(), body, `${secret}x`),
    () => verifyWebhook(headersOf(), `${body} `, secret),
    () => verifyWebhook(headersOf({ text: '{' }), '{', secret),
  ])
    await assert.rejects(read, ({ message }: Error) => {
      assert.doesNotMatch(message, new RegExp(`${secret.slice(6, 12).replace(/[+/]/g, '.')}|${id}`))
      return true
    })
})
