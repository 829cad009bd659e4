/** Checks what docs/build says of the API, and the links between the documents. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createGuildhall } from '../client/src/index.ts'
import { keyTokenPattern } from '../src/domain/access/tokens.ts'
import { grantablePermissions, reservedNouns } from '../src/domain/permissions/permissions.ts'
import { otherScopes, ownerTypes } from '../src/domain/permissions/scopes.ts'
import { type ProblemCode, problems } from '../src/domain/problems.ts'
import { actions } from '../src/domain/record/actions.ts'
import { faultCodes } from '../src/platform/http/faults.ts'
import { readConfig, settings } from '../src/platform/settings/config.ts'
import { reasons } from '../src/process/transfer/reasons.ts'
import { usage } from '../src/process/usage.ts'
import { readContract } from './contract.ts'
import { findDeadLinks } from './document-links.ts'
import { operationsOf, readDocument, readDocuments, root } from './documents.ts'

const openapi = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))
const contract = readContract(openapi)
const pages = readDocuments(['docs/build/*.md'])
/** Paths of tables that are another operation with `me` in place of an id. */
const shortcuts: Readonly<Record<string, string>> = {
  'GET /api/organizations/:orgId/members/me': 'GET /api/organizations/:orgId/members/:memberId',
}
const rows = pages.flatMap(operationsOf)

test('each operation is in exactly one table of docs/build', () => {
  const operations = rows.map(({ operation }) => operation).filter((operation) => !(operation in shortcuts))
  assert.deepEqual(operations.map(named).sort(), [...contract.operations].sort())
})

test('the client method that a table names calls the operation beside it, and each method has a row', async () => {
  const asked: string[] = []
  const fetch = async ({ method, url }: Request) => {
    asked.push(contract.operationOf(method, new URL(url).pathname) ?? url)
    return Response.json({ data: [], nextCursor: null, results: [{ allowed: false }], valid: false })
  }
  const guildhall = createGuildhall({ url: 'http://127.0.0.1:1', fetch })
  const others = ['withToken', 'authenticate', 'admin.events.follow', 'organizations.events.follow'] // they call methods
  const methods = methodsOf(guildhall).filter(([name]) => !others.includes(name))
  const written = new Map(rows.map(({ method, operation }) => [method, named(shortcuts[operation] ?? operation)]))

  for (const [name, method] of methods) {
    const [, path = ''] = (written.get(name) ?? assert.fail(`${name} is in no table`)).split(' ')
    const answer = method(...(path.match(/\{/g) ?? []).map(() => 'an-id'), {})
    await (answer instanceof Promise ? answer : answer.page())
    assert.equal(asked.at(-1), written.get(name), name)
  }
  const without = [...written.keys()].filter((name) => name && !methods.some(([each]) => each === name))
  assert.deepEqual(without, [])
})

test('the README of the client lists every method, and no unknown one', () => {
  const { text } = readDocument('client/README.md')
  const [, table = ''] = /These are all methods.*\n\n((?:\|.*\n)+)/.exec(text) ?? []
  const listed = [...table.matchAll(/^\| `(\S+)` \| (.*) \|$/gm)].flatMap(([, noun = '', cell = '']) => {
    const groups = cell.split(';').map((group) => [...group.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name))
    const names = groups.flatMap(([first = '', ...others]) => {
      const prefix = first.slice(0, first.lastIndexOf('.') + 1) // `devices.list`, `end`: the others have it, too
      return [first, ...others.map((name) => prefix + name)].filter(Boolean)
    })
    return names.length === 0 ? [noun] : names.map((name) => `${noun}.${name}`)
  })
  const otherwise = ['withToken', 'authenticate'] // explained by themselves
  const methods = methodsOf(createGuildhall({ url: 'http://127.0.0.1:1' })).map(([name]) => name)
  assert.deepEqual(listed.sort(), methods.filter((name) => !otherwise.includes(name)).sort())
})

test('docs/build/events.md says of each type of event what happened', () => {
  const { text } = readDocument('docs/build/events.md')
  const [, section = ''] = /\n## All types\n([\s\S]*?)\n## /.exec(text) ?? []
  const listed = [...section.matchAll(/^\| `([a-z_.]+)` \| \S.* \|$/gm)].map(([, type]) => type)
  assert.deepEqual(listed, actions)
})

test('each table shows who may use an operation as the routes declare it', () => {
  const { text } = readDocument('docs/security/authorization.md')
  const access = new Map(
    [...text.matchAll(/^\| ([A-Z]+) \| `(\S+)` \| ([a-z ]+?)(?:; [a-z ]+)? \|/gm)].map(([, method, path, who]) => [
      `${method} ${path}`,
      who,
    ]),
  )
  assert.ok(access.size > 50)
  // Besides the caller, some tables name the owner of the thing.
  const others = rows.filter(
    ({ operation, who }) => who.split(',')[0] !== (access.get(shortcuts[operation] ?? operation) ?? 'anyone'),
  )
  assert.deepEqual(others, [])
})

test('the guide to permissions names every noun that a product cannot use', () => {
  const [, list = ''] = /nouns are reserved[^:]*: ([^.]+)\./.exec(readDocument('docs/build/permissions.md').text) ?? []
  assert.deepEqual(
    [...list.matchAll(/`(\w+)`/g)].map(([, noun]) => noun),
    [...reservedNouns].sort(),
  )
})

test('the guide to permissions names every built-in permission that a role of a product can contain', () => {
  const [, list = ''] =
    /the built-in ones of admins:([^.]+)\./.exec(readDocument('docs/build/permissions.md').text) ?? []
  assert.deepEqual(
    [...list.matchAll(/`(\S+)`/g)].map(([, permission]) => permission),
    grantablePermissions,
  )
})

test('the guide to keys names every scope that is no permission of members, and whose keys may have it', () => {
  const { text } = readDocument('docs/build/keys.md')
  const [, table = ''] = /^\| Scope.*\n((?:\|.*\n)+)/m.exec(text) ?? []
  const words: Readonly<Record<string, string>> = { user: 'people', tenant: 'the tenant' }
  assert.deepEqual(
    [...table.matchAll(/^\| `(\S+)` \| (.*?) \|/gm)].map(([, scope, owners]) => [scope, owners]).sort(),
    Object.entries(otherScopes)
      .map(([scope, owners]) => [
        scope,
        owners.length === ownerTypes.length ? 'all' : owners.map((owner) => words[owner]).join(', '),
      ])
      .sort(),
  )
})

test('the guide to keys shows the pattern of a key', () => {
  assert.ok(readDocument('docs/build/keys.md').text.includes(`\`${keyTokenPattern.slice(1, -1)}\``))
})

test('docs/operate/commands.md lists every command, and no unknown one', () => {
  const [block = assert.fail()] = readDocument('docs/operate/commands.md').blocks
  const named = (text: string) =>
    [...text.matchAll(/^ *guildhall ((?:(?:tenant|admin|user|access|key|application) )?[\w-]+)/gm)]
      .map(([, command]) => command)
      .sort()
  assert.deepEqual(named(block.text), named(usage))
})

for (const [page, least] of [
  ['invitations', 5],
  ['applications', 3],
] as const)
  test(`the diagram in docs/build/${page}.md shows existing requests in the form in which they are sent`, () => {
    const [{ text = '' } = {}] = readDocument(`docs/build/${page}.md`).blocks.filter(
      (block) => block.language === 'mermaid',
    )
    const requests = [...text.matchAll(/: (GET|POST|PATCH|DELETE) (\S+)(?: \{ (.*?) \})?$/gm)]
    assert.ok(requests.length >= least)
    for (const [request, method = '', path = '', fields] of requests) {
      const operation = contract.operationOf(method, path)
      assert.ok(operation, request)
      const [, template = ''] = operation.split(' ')
      const { requestBody } = openapi.paths[template][method.toLowerCase()]
      const known = Object.keys(requestBody?.content['application/json']?.schema.properties ?? {})
      assert.deepEqual(
        (fields?.split(', ') ?? []).filter((field) => !known.includes(field)),
        [],
        request,
      )
    }
  })

test('the page on errors says once for each code what to do, and no page names an unknown code', () => {
  const { text } = readDocument('docs/build/errors.md')
  const [, table = ''] = /^\| Code.*?\n((?:\|.*\n)+)/ms.exec(text) ?? []
  const listed = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, code]) => code),
  )
  assert.deepEqual(listed.sort(), [...Object.keys(problems), 'unreachable', 'unanswered', 'unexpected'].sort())

  const words = new Set([
    ...Object.keys(problems),
    ...faultCodes,
    ...(JSON.stringify(openapi).match(/[a-z]+(?:_[a-z]+)+/g) ?? []),
  ])
  for (const page of pages)
    for (const [, word = ''] of page.text.replace(/^```.*?^```$/gms, '').matchAll(/`([a-z]+(?:_[a-z]+)+)`/g))
      assert.ok(words.has(word), `${page.path}: ${word}`)
})

test("a status next to a code is the code's own", () => {
  const wrong = readDocuments(['*.md', '{client,docs,examples}/**/*.md']).flatMap(({ path, text }) =>
    [...text.matchAll(/\b([45]\d\d) `(\w+)`/g)]
      .filter(([, status, code = '']) => code in problems && problems[code as ProblemCode].status !== Number(status))
      .map(([said]) => `${path}: ${said}`),
  )
  assert.deepEqual(wrong, [])
})

test('the guide to importing lists each reason for which a row is skipped', () => {
  const { text } = readDocument('docs/operate/import.md')
  const [, table = ''] = /^\| Reason.*?\n((?:\|.*\n)+)/ms.exec(text) ?? []
  const listed = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, reason]) => reason)
  assert.deepEqual(listed.sort(), Object.keys(reasons).sort())
})

test('setting a variable to the default in docs/operate/settings.md changes nothing', () => {
  const { text } = readDocument('docs/operate/settings.md')
  const wordsIn = (cell: string) => cell.split(', ').map((word) => /^`(.*)`$/.exec(word)?.[1])
  const defaults = [...text.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \| (.*?) \|/gm)].flatMap(
    ([, names = '', values = '']) => wordsIn(names).map((name = '', at) => [name, wordsIn(values)[at]] as const),
  )
  assert.deepEqual(defaults.map(([name]) => name).sort(), [...settings].sort())
  for (const [name, value] of defaults)
    if (value && name !== 'PUBLIC_URL') assert.deepEqual(readConfig({ [name]: value }), readConfig({}), name)
})

test('links between the documents work', () => {
  const { dead, documents } = findDeadLinks(root)
  assert.ok(documents > 20)
  assert.deepEqual(dead, [])
})

/** In the contract's form. */
function named(operation: string): string {
  return operation.replace(/:(\w+)/g, '{$1}')
}

type Method = (...args: readonly unknown[]) => Promise<unknown> | { page(): Promise<unknown> }

/** @returns the full name of every method */
function methodsOf(noun: object, prefix = ''): [string, Method][] {
  return Object.entries(noun).flatMap(([name, value]): [string, Method][] =>
    typeof value === 'function' ? [[prefix + name, value]] : methodsOf(value, `${prefix}${name}.`),
  )
}
