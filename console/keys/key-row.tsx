/** Rows of the lists of keys: a live one, and one that has ended. */
import { Badge, Menu, Table } from '@mantine/core'
import { IconKeyOff, IconPencil, IconRefresh } from '@tabler/icons-react'
import { Trans, useTranslation } from 'react-i18next'
import { useEndDate } from '../organizations/ends.tsx'
import { RowMenu } from '../organizations/row-menu.tsx'
import { isolate } from '../parts/language.ts'
import { useReader } from '../parts/reader.ts'
import { rowClasses } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { WithDates } from '../parts/with-dates.tsx'
import type { Key } from './key.ts'
import classes from './keys.module.css'
import { namesIn, type ScopeGroup, scopesOfKey } from './scopes.ts'

export interface KeyRowProps {
  readonly shown: Key
  /** All that keys of this owner may have. */
  readonly groups: readonly ScopeGroup[]
  /** The name of the organization that a person’s key is limited to, if it is known. */
  readonly organization?: string | undefined
}

interface LiveKeyRowProps extends KeyRowProps {
  readonly actions?: KeyActions | undefined
}

/** What the caller may do with a key. */
export interface KeyActions {
  readonly edit: (key: Key) => void
  /** Absent: keys are not offered. */
  readonly rotate?: ((key: Key) => void) | undefined
  readonly end: (key: Key) => void
}

export function LiveKeyRow({ actions, ...props }: LiveKeyRowProps) {
  const { t } = useTranslation()
  const { shown } = props
  return (
    <Table.Tr className={classes.row}>
      <What {...props} />
      <Table.Td className={`${rowClasses.secondary} ${classes.secrets}`}>
        <Secrets shown={shown} />
      </Table.Td>
      <Table.Td className={`${rowClasses.secondary} ${rowClasses.whole} ${classes.wide}`}>
        <End shown={shown} />
      </Table.Td>
      <Origin shown={shown} />
      {actions && (
        <Table.Td className={rowClasses.actions}>
          <RowMenu label={t('keys.actionsFor', { name: shown.name })}>
            {(refocus) => (
              <>
                {actions.rotate && (
                  <Menu.Item
                    leftSection={<IconRefresh size={16} aria-hidden />}
                    onClick={refocus(() => actions.rotate?.(shown))}
                  >
                    {t('keys.rotate.open')}
                  </Menu.Item>
                )}
                <Menu.Item
                  leftSection={<IconPencil size={16} aria-hidden />}
                  onClick={refocus(() => actions.edit(shown))}
                >
                  {t('keys.edit.open')}
                </Menu.Item>
                <Menu.Item
                  c="red"
                  leftSection={<IconKeyOff size={16} aria-hidden />}
                  onClick={refocus(() => actions.end(shown))}
                >
                  {t('keys.end.open')}
                </Menu.Item>
              </>
            )}
          </RowMenu>
        </Table.Td>
      )}
    </Table.Tr>
  )
}

export function EndedKeyRow(props: KeyRowProps) {
  const { t } = useTranslation()
  const { id, endedBecause, expiresAt, updatedAt } = props.shown
  const endedAt = endedBecause === 'expired' || endedBecause === 'holder_left' ? expiresAt : updatedAt
  return (
    <Table.Tr id={id} className={classes.row}>
      <What {...props} />
      <Table.Td className={`${rowClasses.secondary} ${rowClasses.whole} ${classes.wide}`}>
        {endedBecause && t(`keys.reasons.${endedBecause}`)}
        {endedAt !== null && (
          <span className={classes.line}>
            <Time iso={endedAt} isListed />
          </span>
        )}
      </Table.Td>
      <Origin shown={props.shown} />
    </Table.Tr>
  )
}

/** The name of a key, and all that it may do. */
function What({ shown, groups, organization }: KeyRowProps) {
  const { t } = useTranslation()
  return (
    <Table.Td>
      <span className={classes.name}>{shown.name}</span>
      {shown.owner.type === 'user' && shown.organizationId !== null && (
        <span className={classes.line}>
          {organization === undefined ? t('keys.onlyOne') : t('keys.only', { organization })}
        </span>
      )}
      <Scopes shown={shown} groups={groups} />
    </Table.Td>
  )
}

/** How many scopes are named before the list of all is opened. */
const few = 2

export function Scopes({ shown, groups }: Pick<KeyRowProps, 'shown' | 'groups'>) {
  const { t, i18n } = useTranslation()
  const held = scopesOfKey(t, shown, groups)
  const names = [...namesIn(held).values()]
  const list = (words: string[]) => new Intl.ListFormat(i18n.language, { type: 'unit' }).format(words)
  const summary =
    names.length <= few + 1
      ? list(names)
      : t('keys.more', { names: list(names.slice(0, few)), count: names.length - few })
  return (
    <details className={classes.scopes}>
      <summary>{summary}</summary>
      {held.map(({ group, label, scopes }) => (
        <div key={group}>
          <p className={classes.groupName}>{label}</p>
          <ul>
            {scopes.map(({ key, name, description }) => (
              <li key={key} title={key}>
                {name}
                {description !== null && <span className={classes.meaning}> – {description}</span>}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </details>
  )
}

export function Secrets({ shown: { secrets } }: Pick<KeyRowProps, 'shown'>) {
  const { t } = useTranslation()
  return secrets.map(({ hint, createdAt, lastUsedAt, expiresAt }, index) => (
    <span key={createdAt} className={classes.secretLine}>
      <code>…{hint}</code>
      <span className={classes.line}>
        {lastUsedAt === null ? (
          t('keys.unused')
        ) : (
          <Trans i18nKey="keys.used" components={{ time: <Time iso={lastUsedAt} isListed /> }} />
        )}
      </span>
      {index > 0 && expiresAt !== null && (
        <span className={classes.line}>
          <Trans i18nKey="keys.stops" components={{ time: <Time iso={expiresAt} isListed /> }} />
        </span>
      )}
    </span>
  ))
}

/** When a key ends; and why so soon, if its grace has begun. */
export function End({ shown: { expiresAt, holderLeftAt } }: Pick<KeyRowProps, 'shown'>) {
  const { t } = useTranslation()
  const dayOf = useDay()
  if (expiresAt === null) return t('keys.noEnd')
  if (holderLeftAt === null)
    return <Trans i18nKey="keys.ends" components={{ time: <Time iso={expiresAt} isListed /> }} />
  return (
    <>
      <Badge color="yellow" className={classes.left}>
        <WithDates>{t('keys.holderLeft', { when: dayOf(expiresAt) })}</WithDates>
      </Badge>
      <span className={classes.line}>{t('keys.holderLeftHint')}</span>
    </>
  )
}

/** @returns a function that writes the day of a moment ahead: "today", "on Friday", "on 3 Dec" */
function useDay(): (iso: string) => string {
  const { t } = useTranslation()
  const { locale, timeZone } = useReader()
  const dateOf = useEndDate()
  const dayAt = (time: Date) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(time)
  return (iso) => {
    const time = new Date(iso)
    if (dayAt(time) === dayAt(new Date())) return t('keys.today')
    const isSoon = time.getTime() - Date.now() < 6 * 86_400_000
    const weekday = () => isolate(new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone }).format(time), locale)
    return t('keys.onDay', { day: isSoon ? weekday() : dateOf(iso) })
  }
}

/** Who has seen its secret, and since when there is the key. */
function Origin({ shown: { owner, holder, holderLeftAt, createdAt } }: Pick<KeyRowProps, 'shown'>) {
  const { t } = useTranslation()
  return (
    <Table.Td className={`${rowClasses.secondary} ${rowClasses.whole}`}>
      {owner.type !== 'user' && (
        <span className={classes.holder}>
          <span className={rowClasses.label}>{t('keys.columns.holder')}: </span>
          {holder ? (holder.name ?? holder.id) : t(holderLeftAt === null ? 'keys.operator' : 'keys.formerHolder')}
        </span>
      )}
      <span className={owner.type === 'user' ? undefined : classes.line}>
        <span className={rowClasses.label}>{t('keys.columns.created')} </span>
        <Time iso={createdAt} isListed />
      </span>
    </Table.Td>
  )
}
