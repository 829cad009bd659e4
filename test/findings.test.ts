/** What our own checks look at: the files of the repository, and nothing else that stands in its folder. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

for (const place of ['a repository', 'an archive without git']) {
  test(`in ${place} the checks read what is ours, and not the data of a service that runs there`, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'guildhall-findings-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const foreign = ['', 'home', 'ann', 'guildhall'].join('/')
    const put = (path: string, text: string) => writeFileSync(join(folder, path), text)
    cpSync(join(import.meta.dirname, '../tools'), join(folder, 'tools'), { recursive: true })
    put('package.json', '{ "type": "module" }')
    put('.gitignore', '.env\n')
    put('kept.md', foreign)
    if (place === 'a repository') {
      put('deleted.md', foreign)
      execFileSync('git', ['init', '--quiet'], { cwd: folder })
      execFileSync('git', ['add', '.'], { cwd: folder })
      rmSync(join(folder, 'deleted.md'))
    }
    put('new.md', foreign)
    put('.env', foreign)
    mkdirSync(join(folder, 'data2'))
    put('data2/.gitignore', '*\n')
    put('data2/postgres.log', foreign)
    symlinkSync(tmpdir(), join(folder, 'link'))

    const script = `import('./tools/findings.ts').then(async (checks) => console.log(await checks.findForeignPaths()))`
    const found = execFileSync(process.execPath, ['--eval', script], { cwd: folder, encoding: 'utf8' })

    assert.deepEqual(found.trim().split('\n').sort(), [`kept.md:1: ${foreign}`, `new.md:1: ${foreign}`])
  })
}
