import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { EmbeddedError } from '../platform/database/embedded.ts'
import { readConfig } from '../platform/settings/config.ts'
import { openResources } from './resources.ts'

test('an empty or short secret beside the data is refused before anything is opened', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-resources-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'secret')
  for (const content of ['', '\n', `${'s'.repeat(31)}\n`]) {
    await writeFile(file, content)
    await assert.rejects(
      openResources(readConfig({ GUILDHALL_DATA: folder }), 'migrate'),
      (error) =>
        error instanceof EmbeddedError &&
        error.message.startsWith(`The file ${file}, which holds the secret of the data beside it, has fewer than 32 `),
    )
  }
  assert.deepEqual(await readdir(folder), ['secret'])
})
