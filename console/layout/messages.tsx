/** The messages that appear at the edge of the window, and go by themselves. */
import { Notifications } from '@mantine/notifications'
import { useEffect, useRef } from 'react'
import classes from './messages.module.css'
import '../theme/more-components.css'

export function Messages() {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => (place.current ? measure(place.current) : undefined), [])
  return (
    <div ref={place} className={classes.messages}>
      <Notifications position="bottom-right" limit={3} withinPortal={false} />
    </div>
  )
}

/** Keeps the height of the messages, with the space around them, in `--messages`, for the styles of dialogs. @returns what ends it */
function measure(place: HTMLElement): () => void {
  const { style } = document.documentElement
  const observer = new ResizeObserver(() => {
    const height = place.offsetHeight
    style.setProperty('--messages', height === 0 ? '0px' : `${height + 24}px`)
  })
  observer.observe(place)
  return () => {
    observer.disconnect()
    style.removeProperty('--messages')
  }
}
