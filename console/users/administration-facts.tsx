/** Facts about a user, read-only. Most of them only the user can change. */
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Copyable } from '../parts/copyable.tsx'
import { Picture } from '../parts/picture.tsx'
import { Time } from '../parts/time.tsx'
import classes from './administration.module.css'
import { nameOf, type User } from './administration-user.ts'
import { Status } from './directory.tsx'
import { languageName, zoneInWords } from './zones.ts'

export function UserFacts({ user }: { readonly user: User }) {
  const { t, i18n } = useTranslation()
  const { id, pendingEmail, avatarUrl, role, status, locale, timeZone } = user
  return (
    <aside className={classes.facts} aria-label={t('directory.user.facts')}>
      <Picture url={avatarUrl} name={nameOf(user)} id={id} size={56} />
      <dl className={classes.list}>
        {pendingEmail !== null && (
          <Fact name={t('directory.user.pendingEmail')}>
            {pendingEmail}
            <Text c="dimmed" size="xs">
              {t('directory.user.pendingEmailHint')}
            </Text>
          </Fact>
        )}
        <Fact name={t('directory.user.status')}>
          <Status status={status} />
        </Fact>
        <Fact name={t('directory.user.role')}>{t(`directory.roles.${role}`)}</Fact>
        <Fact name={t('directory.user.created')}>
          <Time iso={user.createdAt} as="date" />
        </Fact>
        <Fact name={t('directory.user.lastActive')}>
          {user.lastActiveAt === null ? t('directory.never') : <Time iso={user.lastActiveAt} />}
        </Fact>
        <Fact name={t('directory.user.language')}>
          {locale === null ? t('directory.unset') : languageName(locale, i18n.language)}
        </Fact>
        <Fact name={t('directory.user.timeZone')}>
          {timeZone === null ? t('directory.unset') : zoneInWords(timeZone)}
        </Fact>
        <Fact name={t('directory.user.id')}>
          <Copyable value={id} name={t('directory.user.id')} />
        </Fact>
      </dl>
    </aside>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
