/** The caller's accounts at providers that sign them in. */
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconLink } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { Confirm } from '../parts/confirm.tsx'
import { LoadingOrFailed } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { leaveToLink } from '../sign-in/provider-visit.ts'
import { useTenant } from '../tenants/tenant.ts'
import { type Identity, identitiesQuery, readAgain } from './factors.ts'
import { useMe } from './me.ts'
import { SecurityItem, SecurityItems, SecurityRow } from './security-row.tsx'

/** Nothing if there is nothing to link and nothing is linked. An account without a verified address cannot link any. */
export function LinkedAccounts() {
  const { t } = useTranslation()
  const { emailVerified } = useMe()
  const { providers: all } = useTenant().signIn
  const providers = emailVerified ? all : []
  const query = useQuery(identitiesQuery)
  const { data } = query
  const linking = useMutation({ mutationFn: leaveToLink })
  const isLinked = (id: string) => data?.data.some(({ provider }) => provider.id === id) === true
  if (providers.length === 0 && (data?.data.length ?? 0) === 0) return null
  return (
    <SecurityRow
      icon={IconLink}
      title={t('users.linked.title')}
      state={t('users.linked.lead')}
      actions={providers.map(({ id, name }) => (
        <Button key={id} variant="default" loading={linking.isPending} onClick={() => linking.mutate(id)}>
          {t(isLinked(id) ? 'users.linked.linkAnother' : 'users.linked.link', { name })}
        </Button>
      ))}
    >
      {data ? (
        data.data.length > 0 && (
          <SecurityItems label={t('users.linked.title')}>
            {data.data.map((identity) => (
              <LinkedAccount key={identity.id} identity={identity} />
            ))}
          </SecurityItems>
        )
      ) : (
        <LoadingOrFailed query={query} rows={1} />
      )}
    </SecurityRow>
  )
}

function LinkedAccount({ identity: { id, provider, email, createdAt } }: { readonly identity: Identity }) {
  const { t } = useTranslation()
  const [isRemoving, removing] = useDisclosure()
  return (
    <SecurityItem
      title={provider.name}
      facts={
        <>
          {email !== null && `${email} · `}
          {t('users.factors.added')} <Time iso={createdAt} />
        </>
      }
      actions={
        <Button
          variant="subtle"
          aria-label={t('users.linked.unlinkNamed', { name: provider.name })}
          onClick={removing.open}
        >
          {t('users.linked.unlink')}
        </Button>
      }
    >
      <Confirm
        title={t('users.linked.unlinkTitle', { name: provider.name })}
        submit={t('users.linked.unlink')}
        isOpen={isRemoving}
        onClose={removing.close}
        act={() => ask(api.DELETE('/api/users/me/identities/{identityId}', { params: { path: { identityId: id } } }))}
        onDone={readAgain}
      >
        {t('users.linked.unlinkLead')}
      </Confirm>
    </SecurityItem>
  )
}
