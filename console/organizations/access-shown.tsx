/** What a member may do and until when, for those who cannot change it. */
import { Badge, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { WithDates } from '../parts/with-dates.tsx'
import { useEndDate } from './ends.tsx'

interface ShownProps {
  readonly member: Schemas['MemberDetails']
  /** Of permissions, by their keys. */
  readonly names: ReadonlyMap<string, string>
}

/** @param roles those of the product */
export function AccessShown({ member, names, roles }: ShownProps & { readonly roles: readonly Schemas['Role'][] }) {
  const { t } = useTranslation()
  const dateOf = useEndDate()
  const { role, grants, expiresAt } = member
  return (
    <Stack gap="md">
      <Part title={t('organizations.access.role')}>
        <Text size="sm">{t(`organizations.roles.${role}`)}</Text>
        <Text size="sm" c="dimmed">
          {t(`organizations.roleMeanings.${role}`)}
        </Text>
      </Part>
      {grants.length > 0 && (
        <Part title={t('organizations.access.roles')}>
          <Stack gap="xs">
            {grants.map((grant) => {
              const { name = grant.role, description } = roles.find(({ key }) => key === grant.role) ?? {}
              const until = grant.expiresAt && t('general.until', { role: name, date: dateOf(grant.expiresAt) })
              return (
                <div key={grant.role}>
                  <Text size="sm">
                    <WithDates>{until ?? name}</WithDates>
                  </Text>
                  {description && (
                    <Text size="sm" c="dimmed">
                      {description}
                    </Text>
                  )}
                </div>
              )
            })}
          </Stack>
        </Part>
      )}
      <Part title={t('organizations.access.end')}>
        <Text size="sm">
          <WithDates>{expiresAt === null ? t('organizations.access.noEnd') : dateOf(expiresAt)}</WithDates>
        </Text>
      </Part>
      <MayNow member={member} names={names} />
    </Stack>
  )
}

/** All that a member may do, if the caller may know it. */
export function MayNow({ member: { permissions }, names }: ShownProps) {
  const { t } = useTranslation()
  return permissions === undefined ? null : (
    <Part title={t('organizations.access.may')}>
      {permissions.length === 0 ? (
        <Text size="sm">{t('organizations.access.mayNothing')}</Text>
      ) : (
        <Group gap={6}>
          {permissions.map((key) => (
            <Badge key={key} variant="light" color="gray" tt="none" title={key}>
              {names.get(key) ?? key}
            </Badge>
          ))}
        </Group>
      )}
    </Part>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text fw={600} size="sm" mb={4}>
        {title}
      </Text>
      {children}
    </div>
  )
}
