/** A page of keys: the live ones, a new one, and those that have ended. */
import { Alert, Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { More } from '../parts/endless.tsx'
import { Page, Section } from '../parts/page.tsx'
import { isFactorMissing } from '../parts/set-up-factor.tsx'
import { Empty, Failed, LoadingOrFailed } from '../parts/states.tsx'
import { KeyCreation } from './creation.tsx'
import { type KeyList, liveKeysQuery, useEndedKeys } from './key.ts'
import { EndedKeys, LiveKeys } from './key-lists.tsx'
import type { ScopeGroup } from './scopes.ts'

interface KeysPageProps {
  readonly list: KeyList
  readonly title: string
  readonly lead: string
  /** When there has never been a key: what keys are for. */
  readonly none: { readonly title: string; readonly lead: string }
  /** Where keys are not offered: nobody can make one. */
  readonly off?: { readonly title: string; readonly lead: string; readonly leadWithKeys: string } | undefined
  readonly mayWrite: boolean
  /**
   * Reads the permissions. Without them a key would get too few scopes, so none is made. Somebody without the second factor that all their
   * organizations require can still make one for their account.
   */
  readonly naming: Pick<UseQueryResult, 'isLoading' | 'isLoadingError' | 'error' | 'refetch'>
  /** All that keys of this owner may have. */
  readonly groups: readonly ScopeGroup[]
  /** What the caller can give. */
  readonly givable: readonly ScopeGroup[]
  /** To which a key can be limited. */
  readonly organizations?: readonly Pick<Schemas['Organization'], 'id' | 'name'>[]
}

export function KeysPage(props: KeysPageProps) {
  const { list, title, lead, none, off, mayWrite, naming, groups, givable, organizations = [] } = props
  const { t } = useTranslation()
  const live = useQuery(liveKeysQuery(list))
  const ended = useEndedKeys(list)
  const [isCreating, creating] = useDisclosure()
  const mayCreate = mayWrite && off === undefined
  const shared = { list, groups, organizations: new Map(organizations.map(({ id, name }) => [id, name])) }
  const isReady = live.data !== undefined && !ended.query.isPending && !naming.isLoading
  const [wasReady, setWasReady] = useState(false)
  if (isReady && !wasReady) setWasReady(true)
  const isFirst = ended.query.isSuccess && ended.items.length === 0
  const hasEnded = ended.items.length > 0 || ended.query.isError
  const empty = off ? (
    <Empty title={off.title}>{off.lead}</Empty>
  ) : (
    <Empty title={isFirst ? none.title : t('keys.noneLive')}>{isFirst ? none.lead : t('keys.noneLiveLead')}</Empty>
  )
  return (
    <Page
      title={title}
      lead={lead}
      width="wide"
      actions={
        mayCreate &&
        (!naming.isLoadingError || isFactorMissing(naming.error)) && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} disabled={naming.isLoading} onClick={creating.open}>
            {t('keys.create')}
          </Button>
        )
      }
    >
      {naming.isLoadingError && <Failed error={naming.error} retry={naming.refetch} mb="lg" />}
      {off && live.data && live.data.length > 0 && (
        <Alert color="yellow" title={off.title} mb="lg">
          {off.leadWithKeys}
        </Alert>
      )}
      <Section title={hasEnded ? t('keys.live') : undefined}>
        {/* Once it is shown, it stays while something is read again: its dialog may show a secret. */}
        {live.data && wasReady ? (
          <LiveKeys {...shared} keys={live.data} mayWrite={mayWrite} isOffered={off === undefined} empty={empty} />
        ) : (
          <LoadingOrFailed query={live} rows={3} />
        )}
      </Section>
      {hasEnded && (
        <Section title={t('keys.ended')} lead={t('keys.endedLead')}>
          {ended.items.length > 0 ? (
            <EndedKeys {...shared} keys={ended.items} />
          ) : (
            <Failed error={ended.query.error} retry={ended.query.refetch} />
          )}
          <More query={ended.query} />
        </Section>
      )}
      {mayCreate && (
        <KeyCreation
          list={list}
          groups={givable}
          organizations={organizations}
          isOpen={isCreating}
          onClose={creating.close}
        />
      )}
    </Page>
  )
}
