/**
 * The menu of a row. When a dialog that it opened closes, its button has the focus again. When the row disappears, the focus moves to
 * the next row.
 */
import { ActionIcon, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'

interface RowMenuProps {
  /** The accessible name, which names the person. */
  readonly label: string
  /** @param refocus runs an action, after moving the focus to the button */
  readonly children: (refocus: (choice: () => void) => () => void) => ReactNode
}

export function RowMenu({ label, children }: RowMenuProps) {
  const button = useRef<HTMLButtonElement>(null)
  const refocus = (choice: () => void) => () => {
    button.current?.focus()
    choice()
  }
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon ref={button} variant="subtle" color="gray" size="lg" aria-label={label}>
          <IconDots size={18} stroke={1.8} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children(refocus)}</Menu.Dropdown>
    </Menu>
  )
}

/**
 * When a row disappears, the focus moves to the menu of the row in its place.
 *
 * @param ids of the rows and of their elements
 * @returns a function to call with the id of a row that is about to disappear
 */
export function useFocusBeside(ids: readonly string[]) {
  const going = useRef<{ readonly id: string; readonly index: number }>(undefined)
  useEffect(() => {
    if (going.current === undefined || ids.includes(going.current.id)) return
    const next = ids[Math.min(going.current.index, ids.length - 1)]
    going.current = undefined
    // The user may have moved the focus meanwhile.
    if (!document.activeElement?.matches('body, [role="dialog"] *')) return
    const menu = next === undefined ? null : document.querySelector<HTMLElement>(`#${next} button`)
    if (menu) menu.focus()
    else focusHeading()
  })
  return (id: string) => {
    going.current = { id, index: ids.indexOf(id) }
  }
}

/** For a menu that disappears because the role of its row has changed, while the row stays. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus()
}
