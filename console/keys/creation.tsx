/** A new key: its name, what it may do, where and until when. Then its secret, once. */
import { NativeSelect, Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { useFaultOfEnd } from '../organizations/ends.tsx'
import { Form } from '../parts/form.tsx'
import { useReader } from '../parts/reader.ts'
import { useUnsaved } from '../parts/unsaved.ts'
import { type Expiry, ExpiryField, mostOfKey, toExpiresAt } from './expiry.tsx'
import { explained } from './faults.ts'
import { createKey, type KeyList, type KeyWithSecret, readAgain } from './key.ts'
import { type Preset, presets, scopesOf } from './presets.ts'
import { namesIn, type ScopeGroup, scopesElsewhere } from './scopes.ts'
import { ScopesField } from './scopes-field.tsx'
import { KeySecretDialog } from './secret-dialog.tsx'

interface CreationProps {
  readonly list: KeyList
  /** What the caller can give. */
  readonly groups: readonly ScopeGroup[]
  /** To which a key can be limited. */
  readonly organizations?: readonly Pick<Schemas['Organization'], 'id' | 'name'>[]
}

interface KeyCreationProps extends CreationProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function KeyCreation({ isOpen, onClose, ...rest }: KeyCreationProps) {
  const { t } = useTranslation()
  return (
    <KeySecretDialog title={t('keys.creation.title')} isOpen={isOpen} onClose={onClose}>
      {(onMade) => <CreationForm {...rest} onMade={onMade} />}
    </KeySecretDialog>
  )
}

interface FormProps extends CreationProps {
  readonly onMade: (made: KeyWithSecret) => void
}

function CreationForm({ list, groups, organizations = [], onMade }: FormProps) {
  const { t } = useTranslation()
  const { timeZone } = useReader()
  const { owner } = list
  const faultOfEnd = useFaultOfEnd(mostOfKey)
  const form = useForm({
    initialValues: {
      name: '',
      scopes: [] as readonly string[],
      organizationId: '',
      expiresAt: { choice: owner === 'user' ? '90' : 'never', day: '' } as Expiry,
    },
    validate: {
      name: (name) => (name.trim() === '' ? t('general.needed') : null),
      scopes: (scopes) => (scopes.length === 0 ? t('keys.scopesNeeded') : null),
      expiresAt: ({ choice, day }) =>
        choice !== 'day' ? null : day === '' ? t('general.needed') : faultOfEnd(day, []),
    },
  })
  useUnsaved(form)
  const send = ({ name, scopes, organizationId, expiresAt: expiry }: typeof form.values) => {
    const expiresAt = toExpiresAt(expiry, timeZone)
    return createKey(list, {
      name,
      scopes: [...scopes],
      ...(organizationId !== '' && { organizationId }),
      ...(expiresAt !== null && { expiresAt }),
    }).catch((error: unknown) => {
      throw explained(error, namesIn(groups))
    })
  }
  return (
    <Form
      form={form}
      submit={t('keys.creation.submit')}
      send={send}
      onDone={(made) => {
        onMade(made)
        void readAgain(list)
      }}
    >
      <TextInput
        {...form.getInputProps('name')}
        label={t('keys.name')}
        description={t('keys.nameHint')}
        placeholder={t('keys.namePlaceholder')}
        autoComplete="off"
        data-autofocus
      />
      {owner === 'tenant' ? (
        <Purpose {...form.getInputProps('scopes')} groups={groups} />
      ) : (
        <ScopesField
          {...form.getInputProps('scopes')}
          groups={groups}
          label={t('keys.scopesLabel')}
          description={t('keys.scopesHint', { context: owner })}
          excluded={
            form.values.organizationId === ''
              ? undefined
              : { keys: scopesElsewhere, reason: t('keys.scopeElsewhere', { everywhere: t('keys.everywhere') }) }
          }
        />
      )}
      {organizations.length > 0 && (
        <NativeSelect
          {...form.getInputProps('organizationId')}
          onChange={({ currentTarget: { value: organizationId } }) =>
            form.setValues(({ scopes = [] }) => ({
              organizationId,
              scopes: organizationId === '' ? scopes : scopes.filter((key) => !scopesElsewhere.includes(key)),
            }))
          }
          label={t('keys.where')}
          data={[
            { value: '', label: t('keys.everywhere') },
            ...organizations.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      <ExpiryField {...form.getInputProps('expiresAt')} mayBeEndless={owner !== 'user'} />
    </Form>
  )
}

interface PurposeProps extends Pick<CreationProps, 'groups'> {
  readonly value?: readonly string[]
  readonly onChange: (scopes: readonly string[]) => void
  readonly error?: ReactNode
  /** The form finds the field by it. */
  readonly 'data-path'?: string
}

/** What a key of the tenant is for. Who wants something else begins with what was chosen last. */
function Purpose({ groups, ...field }: PurposeProps) {
  const { t } = useTranslation()
  const [purpose, setPurpose] = useState<Preset | 'own'>()
  const choose = (next: string) => {
    const preset = presets.find((each) => each === next)
    setPurpose(preset ?? 'own')
    if (preset) field.onChange(scopesOf(preset, groups))
  }
  return (
    <>
      <Radio.Group
        label={t('keys.presets.label')}
        value={purpose ?? ''}
        onChange={choose}
        error={purpose === undefined && field.error}
      >
        <Stack gap="sm" mt={8}>
          {([...presets, 'own'] as const).map((each, index) => (
            <Radio
              key={each}
              value={each}
              {...(index === 0 && purpose === undefined && { 'data-path': field['data-path'] })}
              label={t(`keys.presets.${each}`)}
              description={t(`keys.presets.${each}Hint`)}
            />
          ))}
        </Stack>
      </Radio.Group>
      {purpose === 'own' && (
        <ScopesField
          {...field}
          groups={groups}
          label={t('keys.scopesLabel')}
          description={t('keys.scopesHint', { context: 'tenant' })}
        />
      )}
    </>
  )
}
