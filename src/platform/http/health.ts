/** Health: whether the process runs, and whether it can serve requests. */
import { Type } from 'typebox'
import { snapshotOf } from '../database/snapshots.ts'
import { RequestProblem } from './problems.ts'
import type { App } from './server.ts'

const Health = Type.Object({ status: Type.Literal('ok') }, { description: 'All is well.' })

export async function healthRoutes(app: App): Promise<void> {
  const queryDatabase = snapshotOf(() => app.database.acrossTenants((sql) => sql`select 1 from tenants limit 1`))

  app.get(
    '/livez',
    {
      config: { access: 'anyone', isUncounted: true },
      schema: {
        operationId: 'getLiveness',
        summary: 'Whether the process lives',
        description: '200 while the process runs. Does not query the database.',
        tags: ['Health'],
        response: { 200: Health },
      },
    },
    async () => ({ status: 'ok' as const }),
  )

  app.get(
    '/readyz',
    {
      config: { access: 'anyone', problems: ['unavailable'], isUncounted: true },
      schema: {
        operationId: 'getReadiness',
        summary: 'Whether requests can be served',
        description: '503 while the database cannot be reached, and while the service is stopping.',
        tags: ['Health'],
        response: { 200: Health },
      },
    },
    async () => {
      await queryDatabase()
      if (app.isStopping) throw new RequestProblem('unavailable', {}, { 'retry-after': '1' })
      return { status: 'ok' as const }
    },
  )
}
