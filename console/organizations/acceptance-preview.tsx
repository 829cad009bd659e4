/** The preview of an invitation for the holder of its token: inviter, organization, role and expiry. */
import { Text } from '@mantine/core'
import { queryOptions } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { isolate } from '../parts/language.ts'
import { Picture } from '../parts/picture.tsx'
import { useReader } from '../parts/reader.ts'
import { WithDates } from '../parts/with-dates.tsx'
import { subjectOf } from '../sign-in/mailed-link.tsx'
import classes from './acceptance.module.css'
import { useEndDate } from './ends.tsx'
import { offerInWords } from './grants.tsx'

/** Reads the preview. Its key contains the token, and stays in memory. */
export const previewQuery = (token: string) => {
  const inviteId = `inv_${subjectOf(token)}`
  return queryOptions({
    queryKey: ['invites', inviteId, 'preview', token],
    queryFn: () =>
      ask(api.POST('/api/invites/{inviteId}/preview', { params: { path: { inviteId } }, body: { token } })).then(
        (preview) => ({ ...preview, id: inviteId }),
      ),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
}

/** Reads the organization that somebody has joined by the invitation: accepting again changes nothing. */
export const membershipQuery = (token: string, userId: string) => {
  const inviteId = `inv_${subjectOf(token)}`
  return queryOptions({
    queryKey: ['invites', inviteId, 'membership', userId],
    queryFn: () =>
      ask(api.POST('/api/invites/{inviteId}/accept', { params: { path: { inviteId } } })).then(
        ({ organization }) => organization,
      ),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
}

export type Preview = Awaited<ReturnType<NonNullable<ReturnType<typeof previewQuery>['queryFn']>>>

/** The pictures of the organization and the inviter. */
export function Pictures({ organization, invitedBy }: Pick<Preview, 'organization' | 'invitedBy'>) {
  return (
    <div className={classes.pictures}>
      <Picture url={organization.logoUrl} name={organization.name} id={organization.id} size={48} shape="square" />
      {invitedBy?.name != null && (
        <span className={classes.inviter}>
          <Picture url={null} name={invitedBy.name} size={26} />
        </span>
      )}
    </div>
  )
}

/** Roles of the product and the end of the membership, if the invitation has them. */
export function Terms({ invitation }: { readonly invitation: Preview }) {
  const { t } = useTranslation()
  const dateOf = useEndDate('long')
  if (invitation.grants.length === 0 && invitation.memberExpiresAt === null) return null
  return (
    <Text size="sm" fw={550}>
      <WithDates>{offerInWords(t(`signIn.invitation.roles.${invitation.role}`), invitation, dateOf)}</WithDates>
    </Text>
  )
}

/** Until when the invitation can be answered. */
export function Expiry({ expiresAt }: Pick<Preview, 'expiresAt'>) {
  const { t } = useTranslation()
  const { locale, timeZone } = useReader()
  const format = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', timeZone })
  const date = isolate(format.format(new Date(expiresAt)), locale)
  return (
    <span>
      <WithDates>{t('signIn.invitation.until', { date })}</WithDates>
    </span>
  )
}
