/** Commands from documents, run in a shell with a test's `curl`, `node` and `guildhall`. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { env as ambient, execPath } from 'node:process'
import { promisify } from 'node:util'
import { root } from './documents.ts'

interface Command {
  readonly command: string
  /** The output shown below it, in which `…` matches anything; undefined if none is shown. */
  readonly output?: RegExp
}

/** @returns the text after each `$ ` in a block, or else every line; a line continues after a backslash */
export function commandsIn(text: string): Command[] {
  if (!text.startsWith('$ '))
    return text
      .split(/(?<!\\)\n/)
      .filter((line) => line !== '')
      .map((command) => ({ command }))
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [, command = '', shown = ''] = /^((?:.*\\\n)*.*)\n([\s\S]*)$/.exec(part) ?? []
      return { command, ...(shown.trim() !== '' && { output: patternOf(shown.trim()) }) }
    })
}

function patternOf(shown: string): RegExp {
  const parts = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's')
}

/**
 * Runs them one after the other.
 *
 * @param url replaces the documents' address
 * @returns the output of each command
 */
export async function runCommands(
  commands: readonly Command[],
  { cwd, url, env }: { cwd: string; url: string; env: Readonly<Record<string, string>> },
): Promise<string[]> {
  const end = '-- the end of a command --'
  const script = [
    'set -e',
    'request() { command curl --silent --show-error "$@"; }',
    // In the page's tenant, unless the command names one.
    'curl() { case "$*" in *Guildhall-Tenant*) request "$@";; *) request --header "Guildhall-Tenant: $TENANT" "$@";; esac; }',
    `node() { '${execPath}' "$@"; }`,
    `guildhall() { '${execPath}' '${join(root, 'src/main.ts')}' "$@"; }`,
    ...commands.flatMap(({ command }) => [command, `printf '\\n%s\\n' '${end}'`]),
  ].join('\n')
  const { PATH } = ambient
  const shell = ['--norc', '-c', script.replaceAll('http://localhost:3000', url)]
  const { stdout } = await promisify(execFile)('bash', shell, { cwd, env: { PATH, ...env } })
  return stdout.split(`\n${end}\n`).map((printed) => printed.trim())
}
