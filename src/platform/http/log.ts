/** The log: the form of its lines, the fields that they must not contain, and when they are written. */
import type { FastifyBaseLogger } from 'fastify'
import pino from 'pino'

/** Personal and secret fields that are redacted if an object with them is ever logged: all secret columns, and what callers send. */
export const redacted = [
  'authorization',
  'cookie',
  'password',
  'currentPassword',
  'newPassword',
  'passwordHash',
  'token',
  'tokenHash',
  'invitationToken',
  'deviceToken',
  'accessToken',
  'refreshToken',
  'idToken',
  'secret',
  'secretHash',
  'clientSecret',
  'privateKey',
  'seed',
  'codeHash',
  'mailCode',
  'recoveryCode',
  'recoveryCodes',
  'credential',
  'sealed',
  'details',
  'tombstone',
  'email',
  'pendingEmail',
  'name',
  'metadata',
  'appMetadata',
  'avatarUrl',
  'subject',
  'externalId',
  'ip',
]

/** Options of pino for all levels. */
export const logForm = {
  base: null,
  timestamp: () => `,"time":"${new Date().toISOString()}"`,
  redact: { paths: redacted.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[redacted]' },
  // Some libraries log an error as `error`.
  serializers: { err: (error: unknown) => describeError(error), error: (error: unknown) => describeError(error) },
  mixin: (_line: object, _level: number, log: object) => ('requestId' in log ? { requestId: log.requestId } : {}),
}

/**
 * Makes the log of a request, whose lines get its `requestId` by `mixin`. A child logger of pino would search the id for redacted fields.
 * That takes longer than to write a line, and few requests write one here.
 */
export function logOfRequest(log: FastifyBaseLogger, bindings: object): FastifyBaseLogger {
  return Object.assign(Object.create(log), bindings)
}

/** The number of pino's level `warn`. */
const warning = 40

let output: ReturnType<typeof pino.destination> | undefined

/**
 * Lines are written together, because a system call for each takes longer than to make it: after 200 ms, before they are more than 4 KiB,
 * and when the process ends. A line from warnings up is written at once, with the lines before it. Lines that cannot be written wait, up to
 * 1 MiB of them; further ones are lost.
 *
 * @returns options of pino for a log on standard output
 */
export function onStandardOutput() {
  if (!output) {
    // Up to 4 KiB, the writes of processes that share a pipe do not mix (PIPE_BUF).
    const lengths = { minLength: 3 * 1024, maxWrite: 4 * 1024, maxLength: 1024 * 1024 }
    output = pino.destination({ dest: 1, sync: true, ...lengths, periodicFlush: 200 })
    output.on('error', () => {}) // without a listener, a full disk would end the process
    process.on('exit', flushLog)
  }
  const hooks: NonNullable<pino.LoggerOptions['hooks']> = {
    logMethod(line, log, level) {
      log.apply(this, line)
      if (level >= warning) flushLog()
    },
  }
  return { stream: output, hooks }
}

/** Writes what was logged on standard output. */
export function flushLog(): void {
  output?.flush()
}

/**
 * Logs on standard output what nothing has caught, for any LOG_LEVEL and before there is a server. If standard output cannot be written, it
 * says on standard error what was not caught.
 */
export function logUncaught(error: unknown): void {
  const { stream, hooks } = onStandardOutput()
  let isLost = false
  const lose = () => (isLost = true)
  stream.on('error', lose) // as lines are written at once, it comes before `fatal` returns
  // Only `write`: after a line of this level, pino flushes a stream that can be flushed, and on a full disk that never returns.
  const write = (line: string) => stream.write(line)
  pino({ ...logForm, hooks, level: 'fatal' }, { write }).fatal({ err: error }, 'uncaught error')
  stream.off('error', lose)
  if (!isLost) return
  const { type, message } = describeError(error)
  console.error(`guildhall: ${type}: ${message}`)
}

/** @returns what a line of the log says of an error, as text for standard error */
export function traceOf(error: unknown): string {
  const textOf = ({ message, stack, code, cause, errors = [] }: Described): string =>
    [
      stack || message,
      ...(code === undefined ? [] : [`    code: ${code}`]),
      ...[cause ?? [], errors].flat().map((each) => `Caused by ${textOf(each)}`),
    ].join('\n')
  return textOf(describeError(error))
}

interface Described {
  /** The name of its class; for `Error` and `DOMException`, its own name. The field is not called `name`, because that is redacted. */
  readonly type: string
  readonly message: string
  readonly stack: string
  readonly code?: unknown
  readonly cause?: Described
  readonly errors?: readonly Described[]
  readonly [more: string]: unknown
}

/**
 * Selects type, message, code and stack of an error. Its other properties are omitted, because those of PostgreSQL's errors contain values of
 * rows.
 *
 * @param depth the number of errors that this one is a cause of; causes deeper than three are omitted, because they may be circular
 */
function describeError(error: unknown, depth = 0): Described {
  if (!(error instanceof Error)) return { type: typeof error, message: 'The thrown value is not an Error.', stack: '' }
  const { name, message, stack = '', cause } = error
  const { name: type } = error.constructor
  const nested = (other: unknown) => describeError(other, depth + 1)
  return {
    type: type === 'Error' || type === 'DOMException' ? name : type,
    ...('code' in error && { code: error.code }),
    message,
    stack,
    ...(depth < 3 && cause !== undefined && { cause: nested(cause) }),
    ...(depth < 3 && error instanceof AggregateError && { errors: error.errors.slice(0, 3).map(nested) }),
  }
}
