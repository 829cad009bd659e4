/** The log: what a line of it may say. */

/** Personal and secret fields that no log line may show, should an object that has them ever be logged. */
const redacted = [
  'authorization',
  'cookie',
  'password',
  'currentPassword',
  'newPassword',
  'passwordHash',
  'token',
  'tokenHash',
  'invitationToken',
  'email',
  'pendingEmail',
  'name',
  'metadata',
  'appMetadata',
  'avatarUrl',
  'ip',
]

/** The form of its lines, whatever their level. */
export const logForm = {
  base: null,
  timestamp: () => `,"time":"${new Date().toISOString()}"`,
  redact: { paths: redacted.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[redacted]' },
  // Some libraries log an error as `error`.
  serializers: { err: (error: unknown) => describeError(error), error: (error: unknown) => describeError(error) },
}

interface Described {
  /** Its class, or its own name where the class says little. A field `name` would be redacted, as the name of a person. */
  readonly type: string
  readonly message: string
  readonly stack: string
  readonly code?: unknown
  readonly cause?: Described
  readonly errors?: readonly Described[]
  readonly [more: string]: unknown
}

/**
 * Of an error what says which one it is, and where; not what else it carries, as PostgreSQL's do with the values of a row.
 *
 * @param depth how many it is behind another; of those behind others no more than three are told, as they may lead in a circle
 */
function describeError(error: unknown, depth = 0): Described {
  if (!(error instanceof Error)) return { type: typeof error, message: 'This is no error.', stack: '' }
  const { name, message, stack = '', cause } = error
  const { name: type } = error.constructor
  const behind = (other: unknown) => describeError(other, depth + 1)
  return {
    type: type === 'Error' || type === 'DOMException' ? name : type,
    ...('code' in error && { code: error.code }),
    message,
    stack,
    ...(depth < 3 && cause !== undefined && { cause: behind(cause) }),
    ...(depth < 3 && error instanceof AggregateError && { errors: error.errors.slice(0, 3).map(behind) }),
  }
}
