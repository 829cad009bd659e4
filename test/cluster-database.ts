/**
 * Databases for tests on a Citus cluster, with the tables distributed. CITUS_URL names a superuser's database on the coordinator, which has
 * the extension and knows the nodes; no node asks for a password.
 */
import pg from 'pg'
import { distributeDatabase } from '../src/platform/database/distribute.ts'
import { migrate } from '../src/platform/database/migrate.ts'
import { migrateQueue } from '../src/platform/jobs/worker.ts'
import { openPatient } from './timeout.ts'

/** The coordinator comes first. */
async function nodesOf(clusterUrl: string): Promise<{ host: string; port: number }[]> {
  return withClient(clusterUrl, async (client) => {
    const { rows } = await client.query(
      `select nodename as host, nodeport as port from pg_dist_node where noderole = 'primary' order by groupid`,
    )
    if (rows.length < 2) throw new Error('CITUS_URL needs a coordinator that knows itself and at least one worker.')
    return rows
  })
}

/**
 * Makes a distributed database as a copy of a template, node by node: to distribute the tables takes far longer. The first that needs the
 * template makes it. It takes no connections once it is complete.
 */
export async function cloneOnCluster(
  clusterUrl: string,
  template: string,
  name: string,
): Promise<{ url: string; adminUrl: string }> {
  const nodes = await nodesOf(clusterUrl)
  const [coordinator = { host: '', port: 0 }, ...workers] = nodes
  await inTurn(clusterUrl, turns.template, async () => {
    if (!(await isComplete(clusterUrl, template))) {
      await dropOnCluster(clusterUrl, template)
      await createOnCluster(clusterUrl, template)
      for (const node of [...workers, coordinator]) await close(urlAt(clusterUrl, node), template)
    }
    for (const node of nodes) {
      await withClient(urlAt(clusterUrl, node), (client) =>
        client.query(`create database ${name} template ${template} strategy file_copy owner guildhall`),
      )
    }
  })
  return urlsOf(clusterUrl, coordinator, name)
}

async function isComplete(clusterUrl: string, template: string): Promise<boolean> {
  return withClient(clusterUrl, async (client) => {
    const found = await client.query('select from pg_database where datname = $1 and not datallowconn', [template])
    return found.rowCount === 1
  })
}

/** Ends all connections to a database, and lets it take no others. */
async function close(url: string, name: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(`alter database ${name} allow_connections false`)
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  })
}

/** @param options.isEmpty whether it has no tables @returns the URLs of the service's role and of the superuser */
export async function createOnCluster(
  clusterUrl: string,
  name: string,
  { isDistributed = true, isEmpty = false }: { isDistributed?: boolean; isEmpty?: boolean } = {},
): Promise<{ url: string; adminUrl: string }> {
  const nodes = await nodesOf(clusterUrl)
  const [coordinator = { host: '', port: 0 }, ...workers] = nodes
  const urls = urlsOf(clusterUrl, coordinator, name)
  await inTurn(clusterUrl, turns.cluster, async () => {
    for (const node of nodes) {
      await withClient(urlAt(clusterUrl, node), async (client) => {
        await client.query(`
          do $$ begin
            if to_regrole('guildhall') is null then create role guildhall login; end if;
            alter role guildhall set citus.propagate_set_commands = 'local';
            alter role guildhall set timezone = 'UTC';
          end $$`)
        await client.query(`create database ${name} owner guildhall encoding 'UTF8' template template0`)
        await client.query(`alter database ${name} set citus.shard_count = 4`)
      })
      await withClient(urlAt(clusterUrl, node, name), (client) => client.query('create extension citus'))
    }
    await withClient(urls.adminUrl, async (client) => {
      await client.query('select citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port])
      for (const { host, port } of workers) await client.query('select citus_add_node($1, $2)', [host, port])
    })
  })
  if (isEmpty) return urls
  await migrate(urls.url)
  await inTurn(clusterUrl, turns.cluster, async () => {
    if (isDistributed) await distributeDatabase(urls.url)
    const database = openPatient(urls.url)
    await migrateQueue(database)
    await database.close()
  })
  return urls
}

function urlsOf(clusterUrl: string, coordinator: { host: string; port: number }, name: string) {
  return {
    url: urlAt(clusterUrl, coordinator, name, 'guildhall'),
    adminUrl: `${urlAt(clusterUrl, coordinator, name)}?${new URLSearchParams({ options: forTests })}`,
  }
}

/** The superuser's own statements may join tables without their tenants, and plant triggers. */
const forTests = '-c citus.enable_repartition_joins=on -c citus.enable_unsafe_triggers=on'

const turns = { cluster: 1, template: 2 }

/**
 * Databases of several files are made at the same time, but a node that is added gets the roles of the cluster, and a table that is
 * distributed its owner: no two may change them at once. Who makes the template takes both turns.
 */
async function inTurn(clusterUrl: string, turn: number, work: () => Promise<void>): Promise<void> {
  await withClient(clusterUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [turn]) // until the connection ends
    await work()
  })
}

export async function dropOnCluster(clusterUrl: string, name: string): Promise<void> {
  for (const node of await nodesOf(clusterUrl))
    await withClient(urlAt(clusterUrl, node), (client) => client.query(`drop database if exists ${name} with (force)`))
}

function urlAt(clusterUrl: string, { host, port }: { host: string; port: number }, database?: string, user?: string) {
  const url = new URL(clusterUrl)
  Object.assign(url, { hostname: host, port: String(port) }, database && { pathname: `/${database}` })
  if (user) Object.assign(url, { username: user, password: '' })
  return url.href
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
