/** The live keys of a user: tenant admins see them and can end them. */
import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { accessQuery } from '../access/model.ts'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { type Key, liveKeysQuery } from '../keys/key.ts'
import { End, Scopes, Secrets } from '../keys/key-row.tsx'
import keyClasses from '../keys/keys.module.css'
import { useScopeGroups } from '../keys/scopes.ts'
import { Confirm } from '../parts/confirm.tsx'
import classes from '../parts/list.module.css'
import { Section } from '../parts/page.tsx'
import { LoadingOrFailed } from '../parts/states.tsx'
import { readTenantLogAgain } from '../tenants/log-key.ts'
import { useTenant } from '../tenants/tenant.ts'
import type { User } from './administration-user.ts'
import { usersKey } from './directory-search.ts'
import '../texts/keys.ts'

interface UserKeysProps {
  readonly user: User
  readonly isMe: boolean
}

/** Nothing where people have no keys, and this one has none. */
export function UserKeys({ user: { id: userId }, isMe }: UserKeysProps) {
  const { t } = useTranslation()
  const { personalKeys } = useTenant()
  const options = liveKeysQuery({
    queryKey: [...usersKey, userId, 'keys'],
    read: (filters) => ask(api.GET('/api/admin/users/{userId}/keys', { params: { path: { userId }, query: filters } })),
  })
  const query = useQuery(options)
  const { data: keys } = query
  const context = isMe ? 'me' : 'them'
  if (!personalKeys && (keys ?? []).length === 0) return null
  return (
    <Section title={t('keys.ofUser.title')} lead={t('keys.ofUser.lead', { context })}>
      {keys === undefined ? (
        <LoadingOrFailed query={query} rows={2} />
      ) : keys.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('keys.ofUser.none', { context })}
        </Text>
      ) : (
        <KeyItems
          keys={keys}
          end={async (keyId) => {
            await ask(api.DELETE('/api/admin/users/{userId}/keys/{keyId}', { params: { path: { userId, keyId } } }))
            await queries.invalidateQueries({ queryKey: options.queryKey })
            void readTenantLogAgain()
          }}
        />
      )}
    </Section>
  )
}

interface KeyItemsProps {
  readonly keys: readonly Key[]
  readonly end: (keyId: string) => Promise<void>
}

function KeyItems({ keys, end }: KeyItemsProps) {
  const { t } = useTranslation()
  const { data } = useQuery(accessQuery)
  const groups = useScopeGroups('user', data?.permissions ?? [])
  const [chosen, setChosen] = useState<Key>()
  const [isEnding, ending] = useDisclosure()
  return (
    <>
      <ul className={classes.framed} aria-label={t('keys.ofUser.title')}>
        {keys.map((key) => (
          <li key={key.id} className={classes.item}>
            <div className={classes.words}>
              <p className={classes.what}>{key.name}</p>
              <Scopes shown={key} groups={groups} />
            </div>
            <div className={`${classes.hint} ${keyClasses.column}`}>
              <Secrets shown={key} />
            </div>
            <div className={`${classes.hint} ${keyClasses.column}`}>
              <End shown={key} />
            </div>
            <Button
              variant="default"
              size="xs"
              aria-label={t('keys.end.openNamed', { name: key.name })}
              onClick={() => {
                setChosen(key)
                ending.open()
              }}
            >
              {t('keys.end.open')}
            </Button>
          </li>
        ))}
      </ul>
      {chosen && (
        <Confirm
          title={t('keys.end.title', { name: chosen.name })}
          submit={t('keys.end.submit')}
          isOpen={isEnding}
          onClose={ending.close}
          act={() => end(chosen.id)}
          onDone={() => notifications.show({ message: t('keys.end.done') })}
        >
          {t('keys.end.lead')}
        </Confirm>
      )}
    </>
  )
}
