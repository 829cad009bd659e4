/** The preview of an invitation for the holder of its token: inviter, organization, role and expiry. */
import { queryOptions } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { Picture } from '../parts/picture.tsx'
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

export type Preview = Awaited<ReturnType<NonNullable<ReturnType<typeof previewQuery>['queryFn']>>>

/** The pictures of the organization and the inviter. */
export function Pictures({ organization, invitedBy }: Pick<Preview, 'organization' | 'invitedBy'>) {
  return (
    <div className={classes.pictures}>
      <Picture url={organization.logoUrl} name={organization.name} id={organization.id} size={64} shape="square" />
      {invitedBy?.name != null && (
        <span className={classes.inviter}>
          <Picture url={null} name={invitedBy.name} size={36} />
        </span>
      )}
    </div>
  )
}

/** The roles, the end of the membership, and the expiry. */
export function Terms({ invitation }: { readonly invitation: Preview }) {
  const { t } = useTranslation()
  const { role, expiresAt } = invitation
  const dateOf = useEndDate('long')
  const date = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' })
  return (
    <dl className={classes.terms}>
      <dt>{t('signIn.invitation.role')}</dt>
      <dd>
        {offerInWords(t(`signIn.invitation.roles.${role}`), invitation, dateOf)}
        <span className={classes.means}>{t(`signIn.invitation.means.${role}`)}</span>
      </dd>
      <dt>{t('signIn.invitation.until')}</dt>
      <dd>
        <time dateTime={expiresAt}>{date.format(new Date(expiresAt))}</time>
      </dd>
    </dl>
  )
}
