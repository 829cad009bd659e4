/**
 * Searches: how many pages PostgreSQL touches for one, as a tenant grows to a million users. Unlike times, that depends neither on the
 * machine nor on what else it does.
 */
import { mock } from 'node:test'
import pg from 'pg'
import { buildApp } from '../src/app.ts'
import { wordsIn, wordsOfOrganization, wordsOfUser } from '../src/domain/search/words.ts'
import { fillWords } from '../src/domain/search/writing.ts'
import { ensureDefaultTenant, getTenantBySlug } from '../src/features/tenants/tenants.ts'
import { Keyring } from '../src/platform/cryptography.ts'
import { Database } from '../src/platform/database/database.ts'
import { searchKey } from '../src/platform/http/schemas.ts'
import { readConfig } from '../src/platform/settings/config.ts'
import { createDatabase, type TestDatabase } from '../test/database.ts'
import { connectExplainer, planner, statementsOf } from '../test/explain.ts'
import { people, rareName } from './names.ts'
import { id, idSql } from './population.ts'

/** A search in a list, in one order. */
export interface Searched {
  readonly list: string
  readonly query: string
  readonly sort: string
  /** Of the tenant. */
  readonly users: number
  /** How many rows the page has. */
  readonly shown: number
  readonly buffers: number
}

export interface SearchResults {
  readonly date: string
  readonly searches: readonly Searched[]
}

/** How many users the tenant has by turns. With `full` of them, the other lists have as many rows. */
const [sizes, full] = [[1_000, 10_000, 100_000, 1_000_000], 100_000]
const everybody = id('org', 1)
const both = (columns: readonly string[]) => columns.flatMap((column) => [column, `-${column}`])

/** The queries of each list, and its orders. */
const lists = {
  users: {
    path: '/api/admin/users',
    queries: [
      rareName.toLowerCase(),
      'smith',
      'walter',
      'anna smith',
      'walter zimmermann',
      'mi',
      'anna.smith@',
      '@gmail',
    ],
    sorts: both(['createdAt', 'email', 'name', 'lastActiveAt']),
  },
  members: {
    path: `/api/admin/organizations/${everybody}/members`,
    queries: [rareName.toLowerCase(), 'smith', 'anna smith', '@gmail'],
    sorts: both(['joinedAt', 'email', 'name', 'lastActiveAt']),
  },
  invitations: {
    path: `/api/admin/organizations/${everybody}/invites`,
    queries: [rareName.toLowerCase(), 'smith', 'anna smith', '@gmail'],
    sorts: [''],
  },
  organizations: {
    path: '/api/admin/organizations',
    queries: [rareName.toLowerCase(), 'smith', 'anna smith'],
    sorts: both(['name', 'createdAt']),
  },
} as const

export async function measureSearch(): Promise<SearchResults> {
  const postgres = await createDatabase()
  const database = new Database(postgres.url)
  const keyring = new Keyring(['a bench'])
  try {
    await ensureDefaultTenant(database)
    const { id: tenant } = await getTenantBySlug(database, 'default')
    const config = readConfig({ LOG_LEVEL: 'silent', LIMITS: 'off' })
    const app = await buildApp({ config, database, keyring }, { log: false, mailboxKey: undefined })
    const payload = { email: 'ada@example.com', password: 'a long enough passphrase' }
    const signedUp = await app.inject({ method: 'POST', url: '/api/auth/sign-up', payload })
    await postgres.query(`update users set role = 'admin', email_verified = true`)
    const headers = { authorization: `Bearer ${signedUp.json().session.token}` }
    const look = await startLooking(postgres, tenant, async (url) => {
      const answer = await app.inject({ url, headers })
      if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${answer.body}`)
      return answer.json().data.length
    })
    const searches: Searched[] = []
    for (const [index, users] of sizes.entries()) {
      await addUsers(postgres, tenant, sizes[index - 1] ?? 0, users)
      if (users === full) {
        await addOthers(postgres, tenant)
        await fillWords(database, tenant)
      }
      await postgres.query('vacuum analyze')
      for (const [list, { path, queries, sorts }] of Object.entries(lists)) {
        if (list !== 'users' && users !== full) continue
        for (const query of queries)
          for (const sort of sorts) {
            const found = await look(`${path}?${new URLSearchParams({ query, ...(sort && { sort }) })}`)
            searches.push({ list, query, sort, users, ...found })
            console.log(`${users} ${list} ${query} ${sort}`.padEnd(50), found.buffers)
          }
      }
    }
    await app.close()
    return { date: new Date().toISOString().slice(0, 19), searches }
  } finally {
    await database.close()
    await postgres.drop()
  }
}

/** @param get requests a list @returns a function that requests one, and explains its statements: by the costlier plan that PostgreSQL may use */
async function startLooking(postgres: TestDatabase, tenantId: string, get: (url: string) => Promise<number>) {
  const { plansOf, buffersOf } = planner(await connectExplainer({ postgres, tenantId }), new Set())
  const driver = mock.method(pg.Client.prototype, 'query')
  return async (url: string) => {
    driver.mock.resetCalls()
    const shown = await get(url)
    let buffers = 0
    for (const each of statementsOf(driver)) {
      const { keepsGeneric } = await plansOf(each)
      const costs = [await buffersOf(each, 'custom'), ...(keepsGeneric ? [await buffersOf(each, 'generic')] : [])]
      buffers += Math.max(...costs)
    }
    return { shown, buffers }
  }
}

/** How many rows a statement inserts. */
const batch = 10_000

async function addUsers({ query }: TestDatabase, tenant: string, from: number, to: number): Promise<void> {
  await query(`set session_replication_role = 'replica'`) // skips the check of foreign keys for each row
  for (let first = from + 1; first <= to; first += batch) {
    const rows = [...people(first, Math.min(batch, to - first + 1))].map((person, index) => ({
      ...person,
      n: first + index,
      key: person.name && searchKey(person.name),
      words: wordsOfUser(person),
    }))
    await query(
      `insert into users (tenant_id, id, email, email_verified, name, name_key, words, words_version, keys_version, created_at,
         last_active_at)
       select $1, ${idSql('user', 'n')}, email, true, name, key, words, 1, 1, now() - make_interval(mins => 1000000 - n),
         case when n % 7 > 0 then now() - make_interval(secs => n::bigint * 7919 % 9999991) end
       from jsonb_to_recordset($2::jsonb) as r (n integer, email text, name text, key text, words text)`,
      [tenant, JSON.stringify(rows)],
    )
    await addWords(query, tenant, 'user', rows)
  }
}

/** The words of a batch of users or organizations. */
async function addWords(
  query: TestDatabase['query'],
  tenant: string,
  of: 'user' | 'organization',
  rows: readonly { readonly n: number; readonly words: string }[],
): Promise<void> {
  const words = rows.flatMap(({ n, words }) => wordsIn(words).map((word) => ({ n, word })))
  const keys = of === 'user' ? 'name_key, email, created_at' : 'name_key, created_at'
  await query(
    `insert into ${of}_words (tenant_id, word, ${of}_id, ${keys})
     select tenant_id, word, id, ${keys}
     from jsonb_to_recordset($2::jsonb) as r (n integer, word text)
     join ${of}s on tenant_id = $1 and id = ${idSql(of === 'user' ? 'user' : 'org', 'n')}`,
    [tenant, JSON.stringify(words)],
  )
}

/** An organization of everybody, to which everybody was invited, and as many other organizations. */
async function addOthers({ query }: TestDatabase, tenant: string): Promise<void> {
  for (let first = 1; first <= full; first += batch) {
    const rows = [...people(first, batch)].map(({ name }, index) => {
      const [n, slug] = [first + index, `customer-${first + index}`]
      const own = { name: `${name ?? 'Acme'} Ltd`, slug }
      return { n, ...own, key: searchKey(own.name), words: wordsOfOrganization(own) }
    })
    await query(
      `insert into organizations (tenant_id, id, slug, name, name_key, words, words_version, keys_version, owner_count,
         member_count, created_at)
       select $1, ${idSql('org', 'n')}, slug, name, key, words, 1, 1, 1, case n when 1 then ${full} else 1 end,
         now() - make_interval(mins => 1000000 - n)
       from jsonb_to_recordset($2::jsonb) as r (n integer, slug text, name text, key text, words text)`,
      [tenant, JSON.stringify(rows)],
    )
    await addWords(query, tenant, 'organization', rows)
  }
  const added = 'from users where tenant_id = $1 and email_verified and role = $2'
  await query(
    `insert into memberships (tenant_id, id, organization_id, user_id, role, joined_at, last_active_at)
     select $1, 'mem' || substr(id, 5), $3, id, case when id = ${idSql('user', '1')} then 'owner' else 'member' end, created_at,
       last_active_at ${added}`,
    [tenant, 'user', everybody],
  )
  await query(
    `insert into invitations (tenant_id, id, organization_id, email, role, status, invited_by, created_at, expires_at)
     select $1, 'inv' || substr(id, 5), $3, email, 'member', 'accepted', $4, created_at, created_at + interval '7 days' ${added}`,
    [tenant, 'user', everybody, id('user', 1)],
  )
}
