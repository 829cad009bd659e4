/** Secrets of keys, applications and webhooks. After a rotation the one before works on for a while, so that it can be replaced everywhere. */
import { Type } from 'typebox'
import { statement } from '../platform/database/database.ts'

/** Which secrets `s` live, by the statement’s clock. What they belong to may have ended. */
export const isSecretLive = statement`(s.expires_at is null or s.expires_at > statement_timestamp())`

/** How long the secret before a rotation still works, in seconds. */
export const usualOverlap = 86_400

/** The body that rotates a secret. */
export const SecretRotation = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_592_000,
        default: usualOverlap,
        format: 'int32',
        description: 'How long the secret before still works.',
      }),
    ),
  },
  { additionalProperties: false },
)
