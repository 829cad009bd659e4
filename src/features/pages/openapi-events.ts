/** What webhooks send, in the OpenAPI document: an operation of the receiver for each schema of events. */
import { schemaOfType } from '../../domain/events/events.ts'

const description =
  'An event, as the feed answers it, signed by Standard Webhooks 1.0.0. It comes at least once, and in no promised order. ' +
  'Remember `webhook-id`, and of two states of one thing keep the one with the greater `sequence`.'

/** The headers by which a receiver checks a request. */
const headers = {
  'webhook-id': 'The `id` of the event, the same in each attempt.',
  'webhook-timestamp':
    'When this attempt was made, in seconds since 1970. Refuse one that is more than five minutes off.',
  'webhook-signature':
    '`v1,` and the HMAC-SHA-256 of `<id>.<timestamp>.<body>` in base64, with the 32 bytes that follow `whsec_` in base64 as the key. ' +
    'While a secret is replaced, there are two, separated by a space.',
}

const responses = {
  '2XX': { description: 'The event is delivered.' },
  '410': { description: 'The webhook is disabled: the receiver wants no more events.' },
  default: { description: 'The attempt has failed, and is made again later.' },
}

/** @returns the components that `eventWebhooks` refers to. Types with the same schema share an operation. */
export function describeEvents(): { parameters: Record<string, object>; pathItems: Record<string, object> } {
  const parameters = Object.entries(headers).map(([name, description]) => [
    name,
    { name, in: 'header', required: true, description, schema: { type: 'string' } },
  ])
  const describe = (name: string) => ({
    post: {
      summary: name,
      description,
      operationId: `receive${name}`,
      tags: ['Events'],
      security: [],
      parameters: Object.keys(headers).map((each) => ({ $ref: `#/components/parameters/${each}` })),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
      },
      responses,
    },
  })
  return {
    parameters: Object.fromEntries(parameters),
    pathItems: Object.fromEntries([...new Set(schemaOfType.values())].map((name) => [name, describe(name)])),
  }
}

/** The `webhooks` of the document, by type of event. */
export function eventWebhooks(): Record<string, object> {
  return Object.fromEntries([...schemaOfType].map(([type, name]) => [type, { $ref: `#/components/pathItems/${name}` }]))
}
