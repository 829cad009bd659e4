/** A command for a terminal, in a frame, with a button that copies it. */
import classes from './command.module.css'
import { Copyable, type CopyableProps } from './copyable.tsx'

export function Command(props: Pick<CopyableProps, 'value' | 'name'>) {
  return (
    <div className={classes.command}>
      <Copyable {...props} />
    </div>
  )
}
