/** Export: the inverse of an import. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { bring, counts, file, foreign, newPath, quiet, take } from '../../../test/transfers.ts'
import { createWorld, password } from '../../../test/world.ts'
import { exportFiles } from './export.ts'
import { TransferError } from './files.ts'
import { type Kind, kinds } from './rows.ts'

const world = await createWorld()

test('what one tenant exports another one imports, and exports the same', async () => {
  const [home, abroad] = [await world.tenant(), await world.tenant()]
  const { ann, path } = await world.organization({ tenant: home.slug })
  await ann.patch('/api/users/me', {
    name: '=1+1, "Ann"\n'.trim(),
    locale: 'de-CH',
    timeZone: 'Europe/Zurich',
    metadata: { a: [1, { b: 'ü' }] },
  })
  await ann.patch(path, { name: ' Acme Works', logoUrl: 'https://example.com/acme.png', metadata: { size: 3 } })
  await bring(world, home, {
    users: await file({ externalId: 'abc', email: 'ivy@example.com', passwordHash: foreign.hash, status: 'suspended' }),
    organizations: await file({ externalId: 'org', name: 'Imported' }),
    memberships: await file(
      { organization: 'org', user: 'abc', role: 'owner' },
      { organization: 'org', user: ann.id, role: 'member' },
    ),
  })
  const texts = async (paths: Record<Kind, string>) =>
    Promise.all(kinds.map(async (kind) => (await readFile(paths[kind], 'utf8')).split('\n').filter(Boolean).sort()))
  for (const [ending, withHashes] of [
    ['ndjson', true],
    ['csv', false],
  ] as const) {
    const taken = await take(world, home, ending, withHashes)
    assert.deepEqual(
      counts(await bring(world, home, taken)),
      [
        ['users', 0, 5, 0],
        ['organizations', 0, 2, 0],
        ['memberships', 0, 5, 0],
      ],
      'where it is from, all is there',
    )
    await bring(world, abroad, taken)
    assert.deepEqual(await texts(await take(world, abroad, ending, withHashes)), await texts(taken))
    assert.equal(
      (await texts(taken))[0]?.some((line) => /\$2b\$|passwordHash/.test(line)),
      withHashes,
    )
  }
  const credentials = { email: ann.email, password }
  assert.equal(
    (await world.nobody.post('/api/auth/sign-in', credentials, { 'guildhall-tenant': abroad.slug })).status,
    200,
  )
  const once = await take(world, home, 'csv')
  await assert.rejects(
    exportFiles(world.database, home.id, once, {
      progress: quiet,
      withHashes: false,
      signal: new AbortController().signal,
    }),
    /there is such a file already/,
  )
})

test('an export that is stopped leaves no file, neither of what it was at nor of what it had read', async () => {
  const tenant = await world.tenant()
  await world.organization({ tenant: tenant.slug })
  const folder = await mkdtemp(join(dirname(newPath('ndjson')), 'stopped-'))
  const path = (kind: string) => join(folder, `${kind}.ndjson`)
  const paths = { users: path('users'), organizations: path('organizations'), memberships: path('memberships') }
  const stopping = new AbortController()
  const begun: string[] = []
  const progress = {
    ...quiet,
    begin: (kind: string) => {
      if (begun.push(kind) === 3) stopping.abort(new TransferError('stopped'))
    },
  }
  const options = { progress, withHashes: false, signal: stopping.signal }
  await assert.rejects(exportFiles(world.database, tenant.id, paths, options), /stopped/)
  assert.deepEqual([begun.length, await readdir(folder)], [3, []])
})
