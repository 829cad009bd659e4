/**
 * Keeps the focus on the page. If the focused element disappears, the focus moves to what comes next: back to where a dialog or a menu was
 * opened, to the next row of a list, to the first filter of a list, to the heading of the section, or to that of the page.
 *
 * Invariant: an element that disappears never leaves the focus on nothing. A person who leaves an element is not brought back.
 */
import { useEffect } from 'react'

/** An element of the page that had the focus, and its surroundings then: once it is gone, they cannot be found from it. */
interface Place {
  readonly element: HTMLElement
  readonly row: Element | null
  /** The other rows: first those below, in their order, then those above. */
  readonly others: readonly Element[]
  /** The place in the row, counted from its end, where the menu of a row is. */
  readonly fromEnd: number
  /** The filters around it, or of the list that it was in place of. */
  readonly filters: Element | null
  readonly section: Element | null
}

const floating = '[role=dialog], [data-portal]'
const stops = 'a[href], button, input, select, textarea, summary'

export function useKeptFocus(): void {
  useEffect(() => {
    /** The last place on the page itself. */
    let place: Place | undefined
    /** What has had the focus above the page since then: in a dialog, and in a dialog or a menu that it opened. */
    let above: HTMLElement[] = []
    const remember = (element: Element | null) => {
      if (!(element instanceof HTMLElement) || element === document.body) return
      if (element.matches(`:is(${floating}) *, ${floating}`)) {
        above = [...above.filter((each) => each !== element && each.isConnected), element]
        return
      }
      place = placeOf(element)
      above = []
    }
    const isLost = () => {
      const last = above.at(-1) ?? place?.element
      return last !== undefined && isNowhere() && !isThere(last)
    }
    const move = () => {
      if (!isLost()) return
      const dialogs = [...document.querySelectorAll<HTMLElement>('[role=dialog]')].filter(isThere)
      const next = above.findLast(isThere) ?? dialogs.at(-1) ?? (place ? nextOf(place) : headingOf(null))
      next?.focus({ preventScroll: next.matches('h1') })
    }
    // Also once the page can be used again (`hold`). A moment later, since what replaces the element may take the focus itself.
    const observer = new MutationObserver(() => void (isLost() && setTimeout(move)))
    const onFocus = ({ target }: FocusEvent) => remember(target as Element)
    /** A press beside all that takes the focus leaves it: on a touch screen, too, only after this event. */
    const onPress = () => {
      setTimeout(() => {
        if (place && isThere(place.element) && isNowhere() && above.length === 0) place = undefined
      })
    }
    remember(document.activeElement)
    addEventListener('focusin', onFocus)
    addEventListener('mousedown', onPress)
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['inert'] })
    return () => {
      removeEventListener('focusin', onFocus)
      removeEventListener('mousedown', onPress)
      observer.disconnect()
    }
  }, [])
}

function isNowhere(): boolean {
  return document.hasFocus() && (document.activeElement ?? document.body) === document.body
}

function isThere(element: Element): boolean {
  return element.isConnected && element.checkVisibility()
}

function placeOf(element: HTMLElement): Place {
  const row = element.closest('tr, li')
  const rows = [...(row?.parentElement?.children ?? [])]
  const at = row ? rows.indexOf(row) : 0
  return {
    element,
    row,
    others: [...rows.slice(at + 1), ...rows.slice(0, at).reverse()],
    fromEnd: row ? stopsOf(row).reverse().indexOf(element) : 0,
    filters: element.closest('search') ?? (element.closest('[data-empty]') && document.querySelector('main search')),
    section: element.closest('section, main'),
  }
}

function nextOf({ element, row, others, fromEnd, filters, section }: Place): HTMLElement | null {
  if (isThere(element)) return element
  for (const each of row && isThere(row) ? [row] : others) {
    const found = isThere(each) ? stopsOf(each) : []
    const next = found.at(-1 - fromEnd) ?? found[0]
    if (next) return next
  }
  const filter = filters && isThere(filters) && stopsOf(filters)[0]
  return filter || headingOf(section)
}

function headingOf(section: Element | null): HTMLElement | null {
  const isSamePage = section?.isConnected === true
  const near = isSamePage ? section.querySelector<HTMLElement>('h1, h2') : null
  const field = isSamePage ? null : document.querySelector<HTMLElement>('main [data-autofocus]') // it was locked when the page opened
  const heading = near ?? field ?? document.querySelector<HTMLElement>('h1')
  if (heading?.matches('h1, h2')) heading.tabIndex = -1
  return heading
}

function stopsOf(row: Element): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>(stops)].filter((each) => isThere(each) && !each.matches(':disabled'))
}
