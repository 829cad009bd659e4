import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { EmbeddedError } from '../platform/database/embedded.ts'
import { readConfig } from '../platform/settings/config.ts'
import { isLocationKnown, openResources, readPublicUrl, storePublicUrl } from './resources.ts'

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

test('a command beside an embedded database knows the URL of the service once that has stored it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-resources-'))
  t.after(() => rm(folder, { recursive: true }))
  const config = readConfig({ GUILDHALL_DATA: folder, PUBLIC_URL: 'http://localhost:4000' })
  assert.equal(await isLocationKnown(config), false)

  await storePublicUrl(config)
  await storePublicUrl({ ...config, publicUrl: 'http://localhost:5000' })

  assert.deepEqual([await isLocationKnown(config), await readPublicUrl(folder)], [true, 'http://localhost:5000'])
  process.env.PORT = '5000'
  t.after(() => delete process.env.PORT)
  const at = (publicUrl: string) => isLocationKnown({ ...config, publicUrl })
  assert.deepEqual([await at('http://localhost:5000'), await at('http://localhost:4000')], [true, false])
  assert.deepEqual(await readdir(folder), ['public-url'])
})
