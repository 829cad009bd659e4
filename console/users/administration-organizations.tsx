/** The organizations that a user is in, with the role in each. */
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
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
    readTenantOrganizations({ userId, limit: 20 }, cursor),
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
              <p className={classes.what}>
                <TextLink to="/admin/organizations/$organizationId" params={{ organizationId: id }} inherit>
                  {name}
                </TextLink>
              </p>
              <p className={`${classes.hint} ${classes.facts}`}>
                <span>{t('directory.members', { count: memberCount })}</span>{' '}
                <Membership organizationId={id} userId={userId} />
              </p>
            </div>
          </li>
        ))}
      </ul>
      <More query={query} />
    </>
  )
}

interface MembershipProps {
  readonly organizationId: string
  readonly userId: string
}

/** The role, and whether the user is suspended there. It is read after the list, and is the last in its line, so that nothing moves. */
function Membership({ organizationId, userId }: MembershipProps) {
  const { t } = useTranslation()
  const { data: member, isError } = useQuery({
    queryKey: [...tenantOrganizationsKey, organizationId, 'membership', userId],
    queryFn: async () => {
      const { data } = await readTenantMembers(organizationId, { userId, status: 'all' })
      return data[0] ?? null // it has ended meanwhile
    },
  })
  if (member === undefined) return isError && <span>{t('directory.user.roleFailed')}</span>
  if (member === null) return null
  return (
    <>
      <span>{t(`organizations.roles.${member.role}`)}</span>{' '}
      {member.status === 'suspended' && <span>{t('organizations.members.suspended')}</span>}
    </>
  )
}
