/** The frame of all pages that need no session. Messages are rare on them, so their code is loaded with the first message. */
import { useNotifications } from '@mantine/notifications'
import { Outlet } from '@tanstack/react-router'
import { type ComponentType, useEffect, useState } from 'react'
import { reached } from '../api/reached.ts'

const loadMessages = reached(() => import('./messages.tsx'))

export function Outside() {
  const hasMessage = useNotifications().notifications.length > 0
  const [Messages, setMessages] = useState<ComponentType>()
  useEffect(() => {
    if (hasMessage)
      loadMessages().then(
        ({ Messages }) => setMessages(() => Messages),
        () => {},
      ) // the page itself says what matters
  }, [hasMessage])
  return (
    <>
      {Messages && <Messages />}
      <Outlet />
    </>
  )
}
