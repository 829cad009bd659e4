/** Text on one line. What does not fit ends with an ellipsis: the pointer shows all of it, and so does the focus, which unfolds it. */
import { useEffect, useRef, useState } from 'react'
import { tableClasses } from './table.tsx'
import { WithDates } from './with-dates.tsx'

interface OneLineProps {
  readonly children: string
  /** Whether they are marked with their language. */
  readonly hasDates?: boolean
  readonly className?: string | undefined
}

export function OneLine({ children, hasDates = false, className = '' }: OneLineProps) {
  const text = useRef<HTMLElement>(null)
  const [isCut, setCut] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text is measured again
  useEffect(() => {
    const element = text.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      // While it is unfolded, it keeps the focus.
      if (!element.matches(':focus')) setCut(element.scrollWidth > element.clientWidth)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [children])
  return (
    // Text of any direction stays apart from what is beside it.
    <bdi ref={text} className={`${tableClasses.line} ${className}`} {...(isCut && { title: children, tabIndex: 0 })}>
      {hasDates ? <WithDates>{children}</WithDates> : children}
    </bdi>
  )
}
