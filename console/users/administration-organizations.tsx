/** The organizations that a user is in. */
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { readTenantOrganizations, tenantOrganizationsKey } from '../organizations/directory-search.ts'
import { More, useEndless } from '../parts/endless.tsx'
import { TextLink } from '../parts/links.tsx'
import classes from '../parts/list.module.css'
import { Picture } from '../parts/picture.tsx'
import { LoadingOrFailed } from '../parts/states.tsx'
import { useUserOfTab } from './administration-user.ts'

export function UserOrganizationsPage() {
  const { t } = useTranslation()
  const {
    user: { id: userId },
    isMe,
  } = useUserOfTab()
  const { query, items } = useEndless([...tenantOrganizationsKey, 'list', { userId }], (cursor) =>
    readTenantOrganizations({ userId }, cursor),
  )
  if (!query.isSuccess && items.length === 0) return <LoadingOrFailed query={query} rows={2} />
  if (items.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('directory.user.organizationsNone', { context: isMe ? 'me' : 'them' })}
      </Text>
    )
  return (
    <>
      <ul className={classes.framed}>
        {items.map(({ id, name, logoUrl, memberCount }) => (
          <li key={id} className={classes.item}>
            <Picture url={logoUrl} name={name} id={id} size={28} shape="square" />
            <div className={classes.words}>
              <TextLink
                to="/admin/organizations/$organizationId"
                params={{ organizationId: id }}
                className={classes.what ?? ''}
                inherit
              >
                {name}
              </TextLink>
              <p className={classes.hint}>{t('directory.members', { count: memberCount })}</p>
            </div>
          </li>
        ))}
      </ul>
      <More query={query} />
    </>
  )
}
