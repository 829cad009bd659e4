/** The metadata of a user. Admins edit the app metadata; only the user changes their own metadata. */
import { Stack, Text, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { isExact } from '../../src/platform/json.ts'
import { EditForm } from '../parts/edit-form.tsx'
import classes from './administration.module.css'
import { readUser, type User, updateUser } from './administration-user.ts'

type Json = User['appMetadata']

interface UserMetadataProps {
  readonly user: User
  readonly isMe: boolean
}

export function UserMetadata({ user, isMe }: UserMetadataProps) {
  const { t } = useTranslation()
  const context = isMe ? 'me' : 'them'
  const form = useForm({
    initialValues: pick(user),
    validate: { appMetadata: (text) => faultIn(text, t) },
  })
  const isEmpty = Object.keys(user.metadata).length === 0
  return (
    <Stack gap="lg">
      <EditForm
        form={form}
        thing={user}
        pick={pick}
        read={() => readUser(user.id)}
        save={
          ({ appMetadata }, before) =>
            updateUser(before, { appMetadata: mergeBetween(before.appMetadata, parse(appMetadata) as Json) }) // an object, checked by faultIn
        }
        onSaved={() => notifications.show({ message: t('directory.user.appMetadataSaved') })}
      >
        <Textarea
          {...form.getInputProps('appMetadata')}
          className={classes.mono ?? ''}
          label={t('directory.user.appMetadata')}
          description={t('directory.user.appMetadataHint', { context })}
          autosize
          minRows={3}
          maxRows={18}
          spellCheck={false}
          autoCapitalize="off"
        />
      </EditForm>
      <div>
        <Text size="sm" fw={500} mb={4}>
          {t('directory.user.ownMetadata', { context })}
        </Text>
        {isEmpty ? (
          <Text size="sm" c="dimmed">
            {t('directory.user.ownMetadataNone', { context })}
          </Text>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
          <pre className={classes.code} tabIndex={0}>
            {written(user.metadata)}
          </pre>
        )}
      </div>
    </Stack>
  )
}

const pick = ({ appMetadata }: User) => ({ appMetadata: written(appMetadata) })

function written(metadata: Json): string {
  return JSON.stringify(metadata, null, 2)
}

function parse(text: string): unknown {
  return text.trim() === '' ? {} : JSON.parse(text)
}

/** The fault in typed JSON, with its position. */
function faultIn(text: string, t: TFunction): string | null {
  try {
    if (!isObject(parse(text))) return t('directory.user.jsonNoObject')
  } catch (error) {
    const [, position] = /position (\d+)/.exec(String(error)) ?? []
    return t('directory.user.jsonFault', placeAt(text, Number(position ?? text.length)))
  }
  const position = findInexact(text)
  return position === undefined ? null : t('directory.user.jsonNumber', placeAt(text, position))
}

function placeAt(text: string, position: number) {
  const before = text.slice(0, position).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** Where in valid JSON a number is that would be sent as another one. Not by a reviver: some browsers do not give it the text. */
function findInexact(text: string): number | undefined {
  const tokens = [...text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*/gi)]
  return tokens.find(([token]) => !token.startsWith('"') && !isExact(Number(token), token))?.index
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The merge patch (RFC 7396) from one object to another: null removes a member. */
function mergeBetween(before: Json, after: Json): Json {
  const patch: Json = {}
  for (const name of Object.keys(before)) if (!(name in after)) patch[name] = null
  for (const [name, value] of Object.entries(after)) {
    const old = before[name]
    if (JSON.stringify(old) === JSON.stringify(value)) continue
    patch[name] = isObject(old) && isObject(value) ? mergeBetween(old, value) : value
  }
  return patch
}
