/**
 * Key sets of providers (RFC 7517), which oauth4webapi keeps beside their metadata.
 *
 * Invariant: what is kept of a set takes a bounded part of the memory, whatever the provider answers: its keys that may sign ID tokens, and of
 * each what it takes to check a signature.
 */
import { customFetch } from 'oauth4webapi'
import { ProviderFailure } from './failures.ts'
import { type callsThrough, withinBounds } from './metadata.ts'

type Calls = ReturnType<typeof callsThrough>

const types = ['RSA', 'EC', 'OKP']
const parts = ['kty', 'kid', 'use', 'alg', 'n', 'e', 'crv', 'x', 'y']
/** Keys of a set. */
const most = 100

/** Calls for key sets, which are kept in short. */
export function keysThrough(calls: Calls): Calls {
  return {
    ...calls,
    [customFetch]: async (...request) => {
      const answer = await withinBounds(await calls[customFetch](...request))
      if (answer.status !== 200) return answer
      const text = await answer.text()
      return new Response(shorten(text) ?? text, answer)
    },
  }
}

/** @returns undefined if it is no key set, which oauth4webapi refuses @throws ProviderFailure bad_metadata if there are too many keys */
function shorten(text: string): string | undefined {
  const sent = keysIn(text)
  if (!sent) return undefined
  const keys = sent.flatMap((key) => (isForSignatures(key) ? [keptOf(key)] : []))
  if (keys.length > most) throw new ProviderFailure('bad_metadata')
  return JSON.stringify({ keys })
}

function keysIn(text: string): unknown[] | undefined {
  try {
    const { keys } = Object(JSON.parse(text))
    return Array.isArray(keys) ? keys : undefined
  } catch {
    return undefined
  }
}

/** As oauth4webapi decides it. What is no text cannot be part of a key that we accept. */
function isForSignatures(key: unknown): key is Readonly<Record<string, unknown>> {
  const { kty, use = 'sig', key_ops: operations, ...others } = Object(key)
  const mayVerify = use === 'sig' && (!Array.isArray(operations) || operations.includes('verify'))
  return types.includes(kty) && mayVerify && parts.every((part) => isTextOrAbsent(others[part]))
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}

function keptOf(key: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(parts.filter((part) => part in key).map((part) => [part, key[part]]))
}
