/** The menu of a row. When a dialog that it opened closes, its button has the focus again. */
import { ActionIcon, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { type ReactNode, useRef } from 'react'

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
