/** A row of the matrix: a permission, and a box for each role. */
import { Badge, VisuallyHidden } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './access.module.css'
import type { Column } from './cells.ts'
import type { markOf } from './differences.ts'
import type { Permission } from './model.ts'

export type Boxed = Pick<Permission, 'key' | 'name' | 'minimumRole' | 'builtIn'>

interface RowProps {
  readonly permission: Boxed
  readonly columns: readonly Column[]
  /** A character for each column (cells.ts). */
  readonly cells: string
  readonly mark: ReturnType<typeof markOf>
  /** By a filter. A hidden row comes back faster than a new one. */
  readonly isHidden: boolean
  readonly toggle: (permission: Boxed, column: Column, isOn: boolean) => void
  readonly open: (key: string) => void
}

export const Row = memo(function Row({ permission, columns, cells, mark, isHidden, toggle, open }: RowProps) {
  const { t } = useTranslation()
  const { key, name, builtIn } = permission
  return (
    <tr hidden={isHidden}>
      <th scope="row" className={classes.permission}>
        {builtIn ? (
          <span className={classes.fixed}>{name}</span>
        ) : (
          <button
            type="button"
            className={classes.name}
            title={name}
            onClick={() => open(key)}
            aria-label={t('access.edit', { name })}
          >
            {name}
          </button>
        )}
        <span className={classes.key}>
          {key}
          {mark && (
            <Badge size="xs" color="accent" className={classes.mark}>
              {t(`access.${mark}`)}
            </Badge>
          )}
        </span>
      </th>
      {columns.map((column, index) => {
        const sign = cells[index] ?? '0'
        const isHeld = sign === '1' || sign === '+'
        const isFixed = sign === 'x' || (builtIn && column.role !== undefined)
        return (
          <td key={column.id} className={classes.cell} data-changed={sign === '+' || sign === '-' || undefined}>
            {isFixed ? (
              <Fixed sign={sign} />
            ) : (
              <label className={classes.box}>
                <input
                  type="checkbox"
                  aria-label={`${column.name}: ${name}`}
                  checked={isHeld}
                  disabled={column.role === 'owner'} // an owner has everything
                  onChange={() => toggle(permission, column, !isHeld)}
                />
              </label>
            )}
          </td>
        )
      })}
    </tr>
  )
})

/** What nobody can change here. */
function Fixed({ sign }: { readonly sign: string }) {
  const { t } = useTranslation()
  return (
    <>
      <VisuallyHidden>
        {t(sign === 'x' ? 'access.notGrantable' : sign === '1' ? 'access.yes' : 'access.no')}
      </VisuallyHidden>
      {sign === '1' ? <IconCheck size={16} stroke={2} aria-hidden /> : <span aria-hidden>–</span>}
    </>
  )
}
