/** Pages (in the making). */
import type { App } from '../http/server.ts'

export async function pageRoutes(app: App): Promise<void> {
  app.get('/openapi.json', { config: { access: 'anyone' }, schema: { hide: true } }, async () => app.swagger())
}
