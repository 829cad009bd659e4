/** Usage: CPU time and memory of processes, from Linux's /proc. */
import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts the time of ended processes in hundredths of a second on every machine, and that of running ones in nanoseconds. */
const microsecondsPerTick = 10_000

interface Process {
  readonly pid: number
  readonly parent: number
  /** The time of its children that have ended, in microseconds. */
  readonly ended: number
}

/** The CPU time of a process and of all its children, including ended ones, in microseconds. */
export function cpuOfFamily(pid: number): number {
  for (;;) {
    const parent = read(pid)
    const children = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => read(Number(name)))
      .filter((process) => process?.parent === pid)
    const times = children.map((child) => cpuOf(child?.pid ?? 0))
    // A child that ends in between would be in neither sum.
    if (read(pid)?.ended !== parent?.ended) continue
    return times.reduce((sum, time) => sum + time, cpuOf(pid) + (parent?.ended ?? 0))
  }
}

/** The CPU time of the threads of a process so far, in microseconds. Its threads live as long as the process. */
export function cpuOf(pid: number): number {
  const folder = `/proc/${pid}/task`
  return (
    unlessGone(() =>
      readdirSync(folder)
        .map((thread) => Number(readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1000)
        .reduce((sum, time) => sum + time, 0),
    ) ?? 0
  )
}

/** The time that all cores together have worked, or could not because another machine had them, and all their time, in microseconds. */
export function coresTime(): { readonly busy: number; readonly all: number } {
  // User, nice, system, idle, waiting for disks, interrupts, soft interrupts, stolen. Later fields are parts of these.
  const times = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').trim().split(/\s+/).slice(1, 9).map(Number)
  const all = times.reduce((sum, time) => sum + time, 0)
  const [, , , idle = 0, waiting = 0] = times
  return { busy: (all - idle - waiting) * microsecondsPerTick, all: all * microsecondsPerTick }
}

/** The most resident memory of a process so far, in bytes. */
export function peakMemoryOf(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

/** @returns undefined if the process is gone */
function read(pid: number): Process | undefined {
  return unlessGone(() => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The fields after the name, which may contain anything: state, parent, …, and from the 14th on the children's user and system time.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [endedUser = 0, endedSystem = 0] = fields.slice(13, 15)
    return { pid, parent: fields[1] ?? 0, ended: (endedUser + endedSystem) * microsecondsPerTick }
  })
}

function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException // of a file in /proc
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}
