/** Tokens: the tenant that a token names. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { newToken, readToken } from './tokens.ts'

test('a token names its tenant, however many other tenants tokens have named before', () => {
  const tokens = Array.from({ length: 2_500 }, () => {
    const tenant = randomUUID()
    return { tenant, token: newToken('ghs', tenant).token }
  })
  for (const { tenant, token } of [...tokens, ...tokens]) assert.equal(readToken(token).tenant, tenant)
})
