/** The organizations that a user is in, with the role in each. */
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import {
  readTenantMembers,
  readTenantOrganizations,
  tenantOrganizationsKey,
} from '../organizations/directory-search.ts'
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
    readMemberships(userId, cursor),
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
        {items.map(({ id, name, logoUrl, memberCount, member }) => (
          <li key={id} className={classes.item}>
            <Picture url={logoUrl} name={name} id={id} size={28} shape="square" />
            <div className={classes.words}>
              <p className={classes.what}>
                <TextLink to="/admin/organizations/$organizationId" params={{ organizationId: id }} inherit>
                  {name}
                </TextLink>
              </p>
              <p className={`${classes.hint} ${classes.facts}`}>
                <span>{t('directory.members', { count: memberCount })}</span>{' '}
                {member === undefined && <span>{t('directory.user.roleFailed')}</span>}
                {member && <span>{t(`organizations.roles.${member.role}`)}</span>}{' '}
                {member?.status === 'suspended' && <span>{t('organizations.members.suspended')}</span>}
              </p>
            </div>
          </li>
        ))}
      </ul>
      <More query={query} />
    </>
  )
}

/** Reads a page of the organizations, each with the membership of the user: null if it has ended meanwhile, undefined if it could not be read. */
async function readMemberships(userId: string, cursor: string | undefined) {
  const page = await readTenantOrganizations({ userId, limit: 20 }, cursor) // a request for each follows
  const members = await Promise.all(
    page.data.map(({ id }) =>
      readTenantMembers(id, { userId, status: 'all' }).then(
        ({ data }) => data[0] ?? null,
        () => undefined,
      ),
    ),
  )
  return { ...page, data: page.data.map((organization, index) => ({ ...organization, member: members[index] })) }
}
