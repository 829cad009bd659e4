/** The sign-in providers of a tenant, for its admins. */
import { Badge, Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { TextLink } from '../parts/links.tsx'
import classes from '../parts/list.module.css'
import { Page } from '../parts/page.tsx'
import { Empty, LoadingOrFailed } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { AddProvider } from './creation.tsx'
import { type Provider, providersQuery } from './provider.ts'
import '../texts/administration.ts'

export function ProvidersPage() {
  const { t } = useTranslation()
  const query = useQuery(providersQuery)
  const { data } = query
  const [isAdding, adding] = useDisclosure()
  const add = (
    <Button leftSection={<IconPlus size={16} stroke={1.8} />} onClick={adding.open}>
      {t('providers.add')}
    </Button>
  )
  return (
    <Page title={t('providers.title')} lead={t('providers.lead')} actions={data && data.data.length > 0 && add}>
      {data ? (
        data.data.length === 0 ? (
          <Empty title={t('providers.none')} action={add}>
            {t('providers.noneLead')}
          </Empty>
        ) : (
          <ul className={classes.framed} aria-label={t('providers.title')}>
            {data.data.map((provider) => (
              <ProviderItem key={provider.id} provider={provider} />
            ))}
          </ul>
        )
      ) : (
        <LoadingOrFailed query={query} rows={3} />
      )}
      <AddProvider isOpen={isAdding} onClose={adding.close} />
    </Page>
  )
}

function ProviderItem({ provider }: { readonly provider: Provider }) {
  const { t } = useTranslation()
  const { id, type, name, enabled, identityCount, lastFailure } = provider
  return (
    <li className={classes.item}>
      <div className={classes.words}>
        <p className={classes.what}>
          <TextLink to="/admin/providers/$providerId" params={{ providerId: id }} inherit>
            {name}
          </TextLink>{' '}
          {!enabled && <Badge color="gray">{t('providers.disabled')}</Badge>}
        </p>
        <p className={classes.hint}>
          {name !== t(`providers.types.${type}`) && `${t(`providers.types.${type}`)} · `}
          {t('providers.people', { count: identityCount })}
          {lastFailure && (
            <>
              {' · '}
              {t('providers.failed')} <Time iso={lastFailure.at} />
            </>
          )}
        </p>
      </div>
    </li>
  )
}
