/** One organization, for tenant admins, who need not be members. */
import { Badge, Stack } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { More, useEndless } from '../parts/endless.tsx'
import { ButtonLink, TextLink } from '../parts/links.tsx'
import listClasses from '../parts/list.module.css'
import { Page, Section } from '../parts/page.tsx'
import { Picture } from '../parts/picture.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import classes from './directory.module.css'
import { DeleteOrganization } from './directory-deletion.tsx'
import { MemberLimit } from './directory-limit.tsx'
import { readTenantMembers, tenantOrganizationQuery, tenantOrganizationsKey } from './directory-search.ts'
import { TransferOrganization } from './directory-transfer.tsx'
import { organizationQuery } from './organization.ts'
import '../texts/administration.ts'

export function TenantOrganizationPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { organizationId } = useParams({ from: '/inside/admin/organizations/$organizationId' })
  const { data: organization, error } = useSuspenseQuery(tenantOrganizationQuery(organizationId))
  const { id, name, slug, memberCount, createdAt } = organization
  // The organization as its members see it; undefined for a tenant admin who is not a member.
  const { data: own } = useQuery(organizationQuery(id))
  const toAll = (
    <ButtonLink to="/admin/organizations" variant="default" leftSection={<IconArrowLeft size={16} stroke={1.8} />}>
      {t('directory.organizations.all')}
    </ButtonLink>
  )
  if (isRefusal(error, 'not_found'))
    return (
      <Page title={t('directory.organizations.gone')} lead={t('directory.organizations.goneLead')}>
        {toAll}
      </Page>
    )
  return (
    <Page
      title={name}
      lead={slug}
      actions={
        <>
          {toAll}
          {own && (
            <ButtonLink to="/organizations/$orgId" params={{ orgId: slug }} variant="default">
              {t('directory.organizations.open')}
            </ButtonLink>
          )}
        </>
      }
    >
      <Section title={t('directory.organizations.facts')}>
        <dl className={classes.facts}>
          <div>
            <dt>{t('directory.organizations.slug')}</dt>
            <dd>{slug}</dd>
          </div>
          <div>
            <dt>{t('directory.organizations.members')}</dt>
            <dd>{t('directory.members', { count: memberCount })}</dd>
          </div>
          <div>
            <dt>{t('directory.organizations.created')}</dt>
            <dd>
              <Time iso={createdAt} />
            </dd>
          </div>
        </dl>
      </Section>
      <Section title={t('directory.organizations.people')}>
        <People organizationId={id} />
      </Section>
      <Section title={t('directory.limit.section')} lead={t('directory.limit.sectionLead')}>
        <MemberLimit organization={organization} />
      </Section>
      <Section title={t('directory.transfer.section')} lead={t('directory.transfer.sectionLead')}>
        <TransferOrganization organization={organization} />
      </Section>
      <Section
        title={t('directory.organizationDeletion.section')}
        lead={t('directory.organizationDeletion.sectionLead')}
      >
        <DeleteOrganization organization={organization} onDone={() => navigate({ to: '/admin/organizations' })} />
      </Section>
    </Page>
  )
}

/** Its members and their roles, suspended ones too. */
function People({ organizationId }: { readonly organizationId: string }) {
  const { t } = useTranslation()
  const { query, items } = useEndless([...tenantOrganizationsKey, organizationId, 'members'], (cursor) =>
    readTenantMembers(organizationId, { status: 'all', limit: 25, ...(cursor !== undefined && { cursor }) }),
  )
  if (query.isPending) return <Loading rows={3} />
  if (query.isError && items.length === 0) return <Failed error={query.error} retry={query.refetch} />
  return (
    <Stack gap="sm">
      <ul className={listClasses.framed}>
        {items.map(({ role, status: membership, user: { id, name, email, avatarUrl, status } }) => (
          <li key={id} className={classes.person}>
            <Picture url={avatarUrl} name={name ?? email} id={id} size={28} />
            <span className={classes.words}>
              <TextLink to="/admin/users/$userId" params={{ userId: id }} inherit>
                {name ?? email}
              </TextLink>
              {name !== null && <span className={classes.email}>{email}</span>}
            </span>
            {(status === 'suspended' || membership === 'suspended') && (
              <Badge color="yellow">{t('directory.statuses.suspended')}</Badge>
            )}
            <Badge>{t(`organizations.roles.${role}`)}</Badge>
          </li>
        ))}
      </ul>
      <More query={query} />
    </Stack>
  )
}
