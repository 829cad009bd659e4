/**
 * The matrix: a row for each permission, a column for each role. On a phone it shows one role at a time.
 *
 * Invariant: an edit renders only the rows that it changes, since there can be 10,000 boxes.
 */
import { NativeSelect, TextInput } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconChevronRight, IconSearch } from '@tabler/icons-react'
import { type CSSProperties, useCallback, useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Found } from '../parts/found.tsx'
import classes from './access.module.css'
import { type Column, cellsOf, columnsOf, minimumAfter } from './cells.ts'
import { type Differences, markOf } from './differences.ts'
import type { Draft, Edit } from './draft.ts'
import type { Subject } from './editor.tsx'
import { moveFocus } from './focus.ts'
import { ColumnHead } from './matrix-head.tsx'
import { type Boxed, Row } from './matrix-row.tsx'
import type { AccessModel, Permission } from './model.ts'

interface MatrixProps {
  readonly model: AccessModel
  readonly draft: Draft
  readonly differences: Differences
  readonly edit: (edit: Edit) => void
  readonly open: (subject: Subject) => void
}

export function Matrix({ model, draft, differences, edit, open }: MatrixProps) {
  const { t } = useTranslation()
  const isPhone = useMediaQuery('(max-width: 48rem)', undefined, { getInitialValueInEffect: false }) === true
  const [query, setQuery] = useState('')
  const [wanted, setWanted] = useState('')
  const [isExpanded, setExpanded] = useState(false)
  const all = useMemo(() => columnsOf(model, draft, differences, t), [model, draft, differences, t])
  const chosen = all.find(({ id }) => id === wanted) ?? (isPhone ? (all[3] ?? all[1]) : undefined)
  const columns = useSame(chosen ? [chosen] : all)
  const own = useMemo(
    () => draft.permissions.map((each) => ({ ...each, builtIn: false, grantable: true })),
    [draft.permissions],
  )
  const builtIn = useMemo(() => model.permissions.filter((each) => each.builtIn), [model.permissions])
  const cells = useMemo(() => cellsOf(model, draft, columns), [model, draft, columns])
  const words = useDeferredValue(query).trim().toLocaleLowerCase() // typing does not wait for the rows
  const isFound = ({ key, name }: Pick<Permission, 'key' | 'name'>) =>
    `${name} ${key}`.toLocaleLowerCase().includes(words)
  const toggle = useCallback(
    (permission: Boxed, column: Column, isOn: boolean) => {
      const { key, minimumRole } = permission
      if (column.role === undefined) edit({ is: 'toggled', id: column.id, key })
      else edit({ is: 'minimumRole', key, minimumRole: minimumAfter(minimumRole, column.role, isOn) })
    },
    [edit],
  )
  const openPermission = useCallback((key: string) => open({ is: 'permission', key }), [open])
  const row = (permission: Boxed) => (
    <Row
      key={permission.key}
      permission={permission}
      columns={columns}
      cells={cells.get(permission.key) ?? ''}
      mark={markOf(differences.permissions.get(permission.key))}
      isHidden={!isFound(permission)}
      toggle={toggle}
      open={openPermission}
    />
  )
  const width = { '--columns': columns.length } as CSSProperties // React knows no names of variables
  // What a filter finds is shown.
  const isOpen = isExpanded || (words !== '' && builtIn.some(isFound))
  return (
    <>
      <div className={classes.toolbar}>
        <TextInput
          type="search"
          className={classes.search}
          aria-label={t('access.search')}
          placeholder={t('access.search')}
          value={query}
          onChange={({ currentTarget }) => setQuery(currentTarget.value)}
          leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
        />
        <NativeSelect
          className={classes.shown}
          aria-label={t('access.shown')}
          value={chosen?.id ?? ''}
          onChange={({ currentTarget }) => setWanted(currentTarget.value)}
          data={[
            ...(isPhone ? [] : [{ value: '', label: t('access.allRoles') }]),
            ...all.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      </div>
      <Found rows={[...own, ...builtIn].filter(isFound).length} filters={words === '' ? {} : { words }} />
      <div className={classes.scroll}>
        <table className={classes.matrix} style={width} aria-label={t('access.table')} onKeyDown={moveFocus}>
          <thead>
            <tr>
              <th scope="col" className={classes.corner}>
                {t('access.permission')}
              </th>
              {columns.map((column) => (
                <ColumnHead key={column.id} column={column} open={open} />
              ))}
            </tr>
          </thead>
          <tbody>
            <tr className={classes.group}>
              <th scope="rowgroup" colSpan={columns.length + 1}>
                <span className={classes.groupName}>{t('access.own', { count: own.length })}</span>
              </th>
            </tr>
            {own.map(row)}
            {words !== '' && !own.some(isFound) && (
              <tr>
                <td colSpan={columns.length + 1} className={classes.noMatch}>
                  <span className={classes.groupName}>{t('access.noMatch')}</span>
                </td>
              </tr>
            )}
          </tbody>
          <tbody>
            <tr className={classes.group}>
              <th scope="rowgroup" colSpan={columns.length + 1}>
                <button
                  type="button"
                  className={`${classes.groupName} ${classes.toggle}`}
                  aria-expanded={isOpen}
                  onClick={() => setExpanded(!isExpanded)}
                >
                  <IconChevronRight size={16} stroke={1.8} aria-hidden className={classes.chevron} />
                  {t('access.builtIn', { count: builtIn.length })}
                </button>
              </th>
            </tr>
            {isOpen && builtIn.map(row)}
          </tbody>
        </table>
      </div>
      {!isPhone && <p className={classes.hint}>{t('access.keyboard')}</p>}
    </>
  )
}

/** The same array as long as its content is the same, so that rows need not be rendered again. */
function useSame<Item>(items: readonly Item[]): readonly Item[] {
  const text = JSON.stringify(items)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for the items
  return useMemo(() => items, [text])
}
