/** The members of any organization, for admins: found, changed, removed and invited as an owner could. */
import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { More } from '../parts/endless.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { useAnyOrganization } from './directory-organization.tsx'
import { rolesQuery } from './grants.tsx'
import { Inviting } from './inviting.tsx'
import { useMembers } from './member.ts'
import { MemberFilters, useMemberSearch } from './member-filters.tsx'
import { Members } from './members.tsx'
import type { Organization } from './organization.ts'
import { whereOf } from './place.ts'
import classes from './rows.module.css'

export function TenantMembersPage() {
  const { t } = useTranslation()
  const organization = useAnyOrganization()
  const where = whereOf(organization)
  const [search, change] = useMemberSearch()
  const { query, items } = useMembers(where, search)
  const listed = useQuery(rolesQuery(where))
  return (
    <>
      <InvitePeople organization={organization} />
      <MemberFilters mayUpdate />
      {query.isPending || listed.isLoading ? (
        <Loading rows={6} />
      ) : query.isError && items.length === 0 ? (
        <Failed error={query.error} retry={query.refetch} />
      ) : items.length === 0 ? (
        <Empty
          title={t('organizations.members.none')}
          action={
            <Button variant="default" onClick={() => change({})}>
              {t('organizations.members.showAll')}
            </Button>
          }
        >
          {t('organizations.members.noneLead')}
        </Empty>
      ) : (
        <div className={classes.frame} aria-busy={query.isPlaceholderData}>
          <Members organization={organization} members={items} listed={listed.data ?? []} />
        </div>
      )}
      <More query={query} />
    </>
  )
}

/** The button that opens the dialog for inviting, and the dialog. */
export function InvitePeople({ organization }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <Group mb="md">
      <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={open}>
        {t('organizations.inviting.open')}
      </Button>
      <Inviting organization={organization} isOpen={isOpen} onClose={close} />
    </Group>
  )
}
