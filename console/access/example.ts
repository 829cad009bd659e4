/** A small access model to start with: two permissions, and a role that contains both. */
import type { TFunction } from 'i18next'
import type { Draft } from './draft.ts'
import '../texts/access.ts'

export function exampleOf(t: TFunction): Pick<Draft, 'permissions' | 'roles'> {
  const permissions = [
    { key: 'invoices:read', name: t('access.example.read'), description: '', minimumRole: 'member' },
    {
      key: 'invoices:write',
      name: t('access.example.write'),
      description: t('access.example.writeDescription'),
      minimumRole: 'admin',
    },
  ] as const
  const role = {
    id: 'example',
    key: 'billing',
    name: t('access.example.role'),
    description: t('access.example.roleDescription'),
    permissions: new Set(permissions.map(({ key }) => key)),
  }
  return { permissions, roles: [role] }
}
