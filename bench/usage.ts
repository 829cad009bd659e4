/** Usage: CPU time and memory of processes, from Linux's /proc. */
import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts CPU time in hundredths of a second on every machine. */
const microsecondsPerTick = 10_000

interface Process {
  readonly parent: number
  /** Its own time, in ticks. */
  readonly own: number
  /** The time of its children that have ended. */
  readonly ended: number
}

/** The CPU time of a process so far, in microseconds. */
export function cpuOf(pid: number): number {
  return (read(pid)?.own ?? 0) * microsecondsPerTick
}

/** The CPU time of a process and of all its children, including ended ones, in microseconds. */
export function cpuOfFamily(pid: number): number {
  for (;;) {
    const parent = read(pid)
    const children = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => read(Number(name)))
      .filter((process) => process?.parent === pid)
    // A child that ends in between would be in neither sum.
    if (read(pid)?.ended !== parent?.ended) continue
    const ticks = children.reduce((sum, child) => sum + (child?.own ?? 0), (parent?.own ?? 0) + (parent?.ended ?? 0))
    return ticks * microsecondsPerTick
  }
}

/** The most resident memory of a process so far, in bytes. */
export function peakMemoryOf(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

/** @returns undefined if the process is gone */
function read(pid: number): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The fields after the name, which may contain anything: state, parent, …, and from the 12th on user and system time, own and
    // children's.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
    return { parent: fields[1] ?? 0, own: user + system, ended: endedUser + endedSystem }
  } catch {
    return undefined
  }
}
