/** The caller's accounts at providers that sign them in. */
import { Button, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconLink } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { Confirm } from '../parts/confirm.tsx'
import listClasses from '../parts/list.module.css'
import { Section } from '../parts/page.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { leaveToLink } from '../sign-in/provider-visit.ts'
import { useTenant } from '../tenants/tenant.ts'
import { type Identity, identitiesQuery, readAgain } from './factors.ts'
import classes from './me.module.css'
import { useMe } from './me.ts'

/** Nothing if there is nothing to link and nothing is linked. An account without a verified address cannot link any. */
export function LinkedAccounts() {
  const { t } = useTranslation()
  const { emailVerified } = useMe()
  const { providers: all } = useTenant().signIn
  const providers = emailVerified ? all : []
  const { data, isPending, error, refetch } = useQuery(identitiesQuery)
  const linking = useMutation({ mutationFn: leaveToLink })
  const isLinked = (id: string) => data?.data.some(({ provider }) => provider.id === id) === true
  if (providers.length === 0 && (data?.data.length ?? 0) === 0) return null
  return (
    <Section title={t('users.linked.title')} lead={t('users.linked.lead')}>
      <Stack gap="md">
        {data ? (
          data.data.length > 0 && (
            <ul className={listClasses.framed} aria-label={t('users.linked.title')}>
              {data.data.map((identity) => (
                <LinkedAccount key={identity.id} identity={identity} />
              ))}
            </ul>
          )
        ) : isPending ? (
          <Loading rows={1} />
        ) : (
          <Failed error={error} retry={refetch} />
        )}
        <Group gap="sm">
          {providers.map(({ id, name }) => (
            <Button key={id} variant="default" loading={linking.isPending} onClick={() => linking.mutate(id)}>
              {t(isLinked(id) ? 'users.linked.linkAnother' : 'users.linked.link', { name })}
            </Button>
          ))}
        </Group>
      </Stack>
    </Section>
  )
}

function LinkedAccount({ identity: { id, provider, email, createdAt } }: { readonly identity: Identity }) {
  const { t } = useTranslation()
  const [isRemoving, removing] = useDisclosure()
  return (
    <li className={classes.item}>
      <span className={classes.sign}>
        <IconLink size={20} stroke={1.5} aria-hidden />
      </span>
      <div className={classes.about}>
        <span className={classes.title}>{provider.name}</span>
        {email !== null && <p className={classes.quiet}>{email}</p>}
        <p className={classes.quiet}>
          {t('users.factors.added')} <Time iso={createdAt} />
        </p>
      </div>
      <Button
        variant="default"
        aria-label={t('users.linked.unlinkNamed', { name: provider.name })}
        onClick={removing.open}
      >
        {t('users.linked.unlink')}
      </Button>
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
    </li>
  )
}
