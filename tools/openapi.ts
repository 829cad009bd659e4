/** npm run openapi: writes openapi.json as the routes are today. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '../src/serve.ts'

writeFileSync(join(import.meta.dirname, '../openapi.json'), `${JSON.stringify(await openApiDocument(), null, 2)}\n`)
