/** The menu of a row, and where the focus goes when a row, or a menu, goes. When the menu has led to a dialog and that closes, the focus is on the menu's button again. */
import { ActionIcon, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'

interface RowMenuProps {
  /** Says whose it is. */
  readonly label: string
  /** @param lead makes a choice, with the focus on the button first */
  readonly children: (lead: (choice: () => void) => () => void) => ReactNode
}

export function RowMenu({ label, children }: RowMenuProps) {
  const button = useRef<HTMLButtonElement>(null)
  const lead = (choice: () => void) => () => {
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
      <Menu.Dropdown>{children(lead)}</Menu.Dropdown>
    </Menu>
  )
}

/**
 * When a row goes, the focus goes to the menu of the row that takes its place.
 *
 * @param ids of the rows, which are the ids of their elements too
 * @returns to be called with the id of a row that is about to go
 */
export function useFocusBeside(ids: readonly string[]) {
  const going = useRef<{ readonly id: string; readonly index: number }>(undefined)
  useEffect(() => {
    if (going.current === undefined || ids.includes(going.current.id)) return
    const next = ids[Math.min(going.current.index, ids.length - 1)]
    going.current = undefined
    // Somebody may have gone on meanwhile.
    if (!document.activeElement?.matches('body, [role="dialog"] *')) return
    const menu = next === undefined ? null : document.querySelector<HTMLElement>(`#${next} button`)
    if (menu) menu.focus()
    else focusHeading()
  })
  return (id: string) => {
    going.current = { id, index: ids.indexOf(id) }
  }
}

/** For when a menu goes because its row's role has changed, and its row stays. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus()
}
