/** The lists of an owner's keys: the live ones, with what can be done with them, and those that have ended. */
import { Table } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../parts/confirm.tsx'
import { ActionsHead, RowTable } from '../parts/rows.tsx'
import { type Key, type KeyList, type OwnerType, readAgain } from './key.ts'
import { EndedKeyRow, LiveKeyRow } from './key-row.tsx'
import { KeyNarrowing } from './narrowing.tsx'
import { KeyRotation } from './rotation.tsx'
import { namesIn, type ScopeGroup } from './scopes.ts'

interface KeysProps {
  readonly list: KeyList
  readonly keys: readonly Key[]
  /** All that keys of this owner may have. */
  readonly groups: readonly ScopeGroup[]
  /** The names of organizations that keys are limited to, by their ids. */
  readonly organizations: ReadonlyMap<string, string>
}

interface LiveKeysProps extends KeysProps {
  /** Whether the caller may change them. */
  readonly mayWrite: boolean
  /** Whether keys can be made, and so rotated. */
  readonly isOffered: boolean
  /** Instead of an empty list. */
  readonly empty: ReactNode
}

export function LiveKeys({ list, keys, groups, organizations, mayWrite, isOffered, empty }: LiveKeysProps) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<Key>()
  const [isEditing, editing] = useDisclosure()
  const [isRotating, rotating] = useDisclosure()
  const [isEnding, ending] = useDisclosure()
  const choose = (open: () => void) => (key: Key) => {
    setChosen(key)
    open()
  }
  const actions = {
    edit: choose(editing.open),
    rotate: isOffered ? choose(rotating.open) : undefined,
    end: choose(ending.open),
  }
  return (
    <>
      {keys.length === 0 ? (
        empty
      ) : (
        <KeyTable label={t('keys.liveTable')} owner={list.owner} columns={['secrets', 'end']} hasActions={mayWrite}>
          {keys.map((key) => (
            <LiveKeyRow
              key={key.id}
              shown={key}
              groups={groups}
              organization={organizations.get(key.organizationId ?? '')}
              actions={mayWrite ? actions : undefined}
            />
          ))}
        </KeyTable>
      )}
      {chosen && (
        <>
          <KeyNarrowing list={list} edited={chosen} groups={groups} isOpen={isEditing} onClose={editing.close} />
          <KeyRotation
            list={list}
            rotated={chosen}
            names={namesIn(groups)}
            isOpen={isRotating}
            onClose={rotating.close}
          />
          <Confirm
            title={t('keys.end.title', { name: chosen.name })}
            submit={t('keys.end.submit')}
            isOpen={isEnding}
            onClose={ending.close}
            act={() => list.end(chosen.id)}
            onDone={() => {
              void readAgain(list)
              notifications.show({ message: t('keys.end.done') })
            }}
          >
            {t('keys.end.lead')}
          </Confirm>
        </>
      )}
    </>
  )
}

export function EndedKeys({ list, keys, groups, organizations }: KeysProps) {
  const { t } = useTranslation()
  return (
    <KeyTable label={t('keys.endedTable')} owner={list.owner} columns={['why']}>
      {keys.map((key) => (
        <EndedKeyRow
          key={key.id}
          shown={key}
          groups={groups}
          organization={organizations.get(key.organizationId ?? '')}
        />
      ))}
    </KeyTable>
  )
}

interface KeyTableProps {
  readonly label: string
  readonly owner: OwnerType
  /** Between the key and its creation. */
  readonly columns: readonly ('secrets' | 'end' | 'why')[]
  readonly hasActions?: boolean
  readonly children: ReactNode
}

function KeyTable({ label, owner, columns, hasActions = false, children }: KeyTableProps) {
  const { t } = useTranslation()
  return (
    <RowTable
      label={label}
      heads={
        <>
          <Table.Th>{t('keys.columns.key')}</Table.Th>
          {columns.map((column) => (
            <Table.Th key={column}>{t(`keys.columns.${column}`)}</Table.Th>
          ))}
          <Table.Th>{t(owner === 'user' ? 'keys.columns.created' : 'keys.columns.holder')}</Table.Th>
          {hasActions && <ActionsHead>{t('keys.actions')}</ActionsHead>}
        </>
      }
    >
      {children}
    </RowTable>
  )
}
