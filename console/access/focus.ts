/** The arrow keys move between the boxes of the matrix; Home and End to the first and the last of a row. */
import type { KeyboardEvent } from 'react'

export function moveFocus(event: KeyboardEvent<HTMLTableElement>): void {
  const { target, key } = event
  if (!(target instanceof HTMLInputElement) || event.ctrlKey || event.metaKey || event.altKey) return
  const next = nextOf(target, key)
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

function nextOf(box: HTMLInputElement, key: string): HTMLInputElement | undefined {
  const row = box.closest('tr')
  const cell = box.closest('td')
  if (!row || !cell) return undefined
  const boxes = [...row.querySelectorAll('input')]
  const at = boxes.indexOf(box)
  switch (key) {
    case 'ArrowRight':
      return boxes[at + 1]
    case 'ArrowLeft':
      return boxes[at - 1]
    case 'Home':
      return boxes[0]
    case 'End':
      return boxes.at(-1)
    case 'ArrowUp':
    case 'ArrowDown': {
      const rows = [...(row.closest('table')?.rows ?? [])]
      const others = key === 'ArrowUp' ? rows.slice(0, row.rowIndex).reverse() : rows.slice(row.rowIndex + 1)
      for (const other of others) {
        if (other.hidden) continue
        const found = other.cells[cell.cellIndex]?.querySelector('input:not(:disabled)')
        if (found instanceof HTMLInputElement) return found
      }
      return undefined
    }
    default:
      return undefined
  }
}
