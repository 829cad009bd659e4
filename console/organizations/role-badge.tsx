/** The role of a person in an organization. */
import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Role } from './roles.ts'

export function RoleBadge({ role }: { readonly role: Role }) {
  const { t } = useTranslation()
  return <Badge>{t(`organizations.roles.${role}`)}</Badge>
}
