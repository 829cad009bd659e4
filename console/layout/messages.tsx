/** The messages that appear at a corner of the page, and go by themselves. */
import { Notifications } from '@mantine/notifications'
import '../theme/more-components.css'

export function Messages() {
  return <Notifications position="bottom-right" limit={3} zIndex={250} /> // above dialogs, and below menus
}
