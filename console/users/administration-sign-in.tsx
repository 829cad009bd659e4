/** How a user signs in, for tenant admins, and the reset for a user who has lost every factor. */
import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import { Confirm } from '../parts/confirm.tsx'
import { ButtonLink } from '../parts/links.tsx'
import classes from '../parts/list.module.css'
import { LoadingOrFailed } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { nameOf, type User } from './administration-user.ts'
import { usersKey } from './directory-search.ts'
import { codesLeftOf } from './factors.ts'

const waysQuery = (userId: string) =>
  queryOptions({
    queryKey: [...usersKey, userId, 'ways'],
    async queryFn() {
      const params = { path: { userId } }
      const [factors, identities] = await Promise.all([
        ask(api.GET('/api/admin/users/{userId}/factors', { params })),
        ask(api.GET('/api/admin/users/{userId}/identities', { params })),
      ])
      return { factors: factors.data, codesLeft: codesLeftOf(factors), identities: identities.data }
    },
  })

export function UserSignIn({ user, isMe }: { readonly user: User; readonly isMe: boolean }) {
  const { t } = useTranslation()
  const query = useQuery(waysQuery(user.id))
  if (query.data === undefined) return <LoadingOrFailed query={query} rows={2} />
  const { factors, codesLeft, identities } = query.data
  return (
    <Stack gap="md">
      <ul className={classes.framed} aria-label={t('directory.signIn.title')}>
        <Way
          name={t('directory.signIn.password')}
          hint={t(user.hasPassword ? 'directory.signIn.set' : 'directory.signIn.notSet')}
        />
        {factors.map(({ id, type, name, lastUsedAt }) => (
          <Way
            key={id}
            name={name}
            hint={
              name === t(`users.factors.types.${type}`) ? t('directory.signIn.set') : t(`users.factors.types.${type}`)
            }
            lastUsedAt={lastUsedAt}
          />
        ))}
        {codesLeft !== undefined && (
          <Way name={t('directory.signIn.recoveryCodes')} hint={t('users.factors.codesLeft', { count: codesLeft })} />
        )}
        {identities.map((identity) => (
          <Way
            key={identity.id}
            name={identity.provider.name}
            hint={identity.email ?? t('directory.signIn.linked')}
            lastUsedAt={identity.lastUsedAt}
          >
            {!isMe && <Unlinking user={user} identity={identity} />}
          </Way>
        ))}
      </ul>
      {isMe ? (
        <div>
          <ButtonLink to="/me/security" variant="default">
            {t('directory.signIn.mine')}
          </ButtonLink>
        </div>
      ) : (
        <Reset user={user} />
      )}
    </Stack>
  )
}

interface WayProps {
  readonly name: string
  readonly hint: string
  /** Undefined if it is not known, and null if it was never used. */
  readonly lastUsedAt?: string | null
  /** What an admin can do with it. */
  readonly children?: ReactNode
}

function Way({ name, hint, lastUsedAt, children }: WayProps) {
  const { t } = useTranslation()
  return (
    <li className={classes.item}>
      <div className={classes.words}>
        <p className={classes.what}>{name}</p>
        <p className={classes.hint}>
          {hint}
          {typeof lastUsedAt === 'string' && (
            <>
              {' · '}
              {t('users.factors.used')} <Time iso={lastUsedAt} />
            </>
          )}
        </p>
      </div>
      {children}
    </li>
  )
}

interface UnlinkingProps {
  readonly user: User
  readonly identity: Schemas['Identity']
}

function Unlinking({ user, identity: { id: identityId, provider } }: UnlinkingProps) {
  const { t } = useTranslation()
  const [isOpen, { open, close }] = useDisclosure()
  const path = { userId: user.id, identityId }
  return (
    <>
      <Button
        variant="default"
        size="xs"
        aria-label={t('users.linked.unlinkNamed', { name: provider.name })}
        onClick={open}
      >
        {t('users.linked.unlink')}
      </Button>
      <Confirm
        title={t('users.linked.unlinkTitle', { name: provider.name })}
        submit={t('users.linked.unlink')}
        isOpen={isOpen}
        onClose={close}
        act={() =>
          inTheirWords(t, ask(api.DELETE('/api/admin/users/{userId}/identities/{identityId}', { params: { path } })))
        }
        onDone={() => queries.invalidateQueries({ queryKey: ['admin'] })}
      >
        {t('directory.signIn.unlinkLead', { name: nameOf(user) })}
      </Confirm>
    </>
  )
}

/** Only the user can add what is missing. */
async function inTheirWords<Result>(t: TFunction, asked: Promise<Result>): Promise<Result> {
  try {
    return await asked
  } catch (error) {
    throw isRefusal(error, 'last_way_in') ? new Error(t('directory.signIn.lastWayIn')) : error
  }
}

function Reset({ user }: { readonly user: User }) {
  const { t } = useTranslation()
  const [isOpen, { open, close }] = useDisclosure()
  const name = nameOf(user)
  return (
    <div>
      <Text size="sm" c="dimmed" mb="xs">
        {t('directory.signIn.resetHint')}
      </Text>
      <Button variant="default" onClick={open}>
        {t('directory.signIn.reset')}
      </Button>
      <Confirm
        title={t('directory.signIn.resetTitle', { name })}
        submit={t('directory.signIn.resetSubmit')}
        isOpen={isOpen}
        onClose={close}
        act={() => ask(api.DELETE('/api/admin/users/{userId}/factors', { params: { path: { userId: user.id } } }))}
        onDone={() => {
          notifications.show({ message: t('directory.signIn.resetDone', { email: user.email }), autoClose: 8000 })
          return queries.invalidateQueries({ queryKey: ['admin'] })
        }}
      >
        {t('directory.signIn.resetLead')}
      </Confirm>
    </div>
  )
}
