/** Members whom the list leaves out, such as suspended ones: beside the number of all members, it says why the list has fewer. */
import { Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TextLink } from '../parts/links.tsx'
import { filtersOf, useMembers } from './member.ts'
import type { Organization } from './organization.ts'
import classes from './people.module.css'
import { usePeopleSearch } from './people-filters.ts'
import { useMay } from './permissions.ts'
import { whereOf } from './place.ts'

interface UnlistedProps {
  readonly organization: Organization
}

/** The list that the page shows. */
function useShown(organization: Organization, mayUpdate: boolean) {
  const [search] = usePeopleSearch()
  const filters = filtersOf(search, mayUpdate)
  const { sort: _, ...narrowing } = filters
  const { query, items } = useMembers(whereOf(organization), filters)
  const isUnfiltered = Object.keys(narrowing).length === 0 && query.isSuccess
  const isWhole = !query.hasNextPage
  return { isUnfiltered, isWhole, isShort: !isWhole || items.length < organization.memberCount }
}

/** For those who may change members, how many there are, as a link to them; for others, that there are some. */
export function Unlisted({ organization }: UnlistedProps) {
  const isCounted = useMay(organization)('members:update')
  return isCounted ? <Counted organization={organization} /> : <Uncounted organization={organization} />
}

/**
 * Counts the first hundred, unless a list without filters has shown that there are none. It is the last in its line, so that nothing moves
 * when it appears.
 */
function Counted({ organization }: UnlistedProps) {
  const { t } = useTranslation()
  const { isUnfiltered, isShort, isWhole } = useShown(organization, true)
  const [isAsked, setAsked] = useState(false)
  const isComparable = isWhole || organization.membership !== null // the page of an admin asks for enough before
  if (isUnfiltered && isShort && isComparable && !isAsked) setAsked(true)
  const suspended = { status: 'suspended' } as const
  const { query, items } = useMembers(whereOf(organization), suspended, { limit: 100, enabled: isAsked })
  if (items.length === 0) return null
  return (
    <span className={classes.suspended}>
      <TextLink to="." search={suspended} resetScroll={false} size="sm">
        {t(query.hasNextPage ? 'organizations.members.moreSuspended' : 'organizations.members.someSuspended', {
          count: items.length,
        })}
      </TextLink>
    </span>
  )
}

/** Does not say that they are suspended: the number also counts memberships that ended within the last hour. */
function Uncounted({ organization }: UnlistedProps) {
  const { t } = useTranslation()
  const { isUnfiltered, isShort, isWhole } = useShown(organization, false)
  if (!isUnfiltered || !isShort || !isWhole) return null
  return (
    <Text span size="sm" c="dimmed" className={classes.suspended}>
      {t('organizations.members.unlisted')}
    </Text>
  )
}
