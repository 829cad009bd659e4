import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventFamilies } from './event-types.ts'

const openapi = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'))

test('a webhook can be limited to each type of event that the service has', () => {
  const offered = eventFamilies({ isOfOrganization: false }).flatMap(({ family, types }) => [family, ...types])
  const operation = openapi.paths['/api/admin/webhooks'].post
  const known: string[] = operation.requestBody.content['application/json'].schema.properties.types.items.enum
  assert.deepEqual(offered.toSorted(), known.toSorted())
})
