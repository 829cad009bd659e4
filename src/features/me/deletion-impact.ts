/** What deleting one’s own account would do. */
import { DeletionImpact, type ImpactRows, selectDeletionImpact, toDeletionImpact } from '../../domain/erasure/impact.ts'
import type { App } from '../../platform/http/server.ts'

export async function deletionImpactRoutes(app: App): Promise<void> {
  app.get(
    '/users/me/deletion-impact',
    {
      config: { access: 'user', withoutSecondFactor: true },
      schema: {
        operationId: 'getDeletionImpact',
        summary: 'What deleting would do',
        description: 'What would be deleted with the caller’s account, and what prevents the deletion.',
        tags: ['Me'],
        response: { 200: DeletionImpact },
      },
    },
    async (request) => {
      const { caller, ...rows } = await request.readAsUser<ImpactRows>(({ tenant, user }) =>
        selectDeletionImpact(tenant, user),
      )
      return toDeletionImpact(caller.tenantRole, rows, caller.assurance)
    },
  )
}
