/**
 * Adding an application in three steps: where it runs, its name and addresses and whether people choose an organization, what to copy.
 *
 * Invariant: the typed text stays when somebody goes back a step. Leaving the page asks first while there is text, or a secret.
 */
import { Button, Group, Radio, Stack, Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Form } from '../parts/form.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Page, Section } from '../parts/page.tsx'
import { useUnsaved } from '../parts/unsaved.ts'
import { findFault, linesOf } from './addresses.ts'
import { type ApplicationWithSecret, createApplication, type Kind, kinds } from './application.ts'
import { AddressesField } from './fields.tsx'
import { Secret } from './secret.tsx'
import { SettingsToCopy } from './settings-to-copy.tsx'
import '../texts/administration.ts'

export function NewApplicationPage() {
  const [kind, setKind] = useState<Kind>('server')
  const [isKindChosen, setIsKindChosen] = useState(false)
  const [made, setMade] = useState<ApplicationWithSecret>()
  const form = useAddresses(kind)
  useUnsaved({ isDirty: () => (made ? made.secret !== null : form.isDirty()) }, made ? 'secret' : 'changes')
  const goBack = () => {
    form.clearErrors() // they may not hold for another kind
    setIsKindChosen(false)
  }
  if (made) return <Made key="made" made={made} />
  if (isKindChosen) return <Addresses key="addresses" kind={kind} form={form} onBack={goBack} onMade={setMade} />
  return <ChooseKind key="kind" kind={kind} setKind={setKind} onChosen={() => setIsKindChosen(true)} />
}

interface ChooseKindProps {
  readonly kind: Kind
  readonly setKind: (kind: Kind) => void
  readonly onChosen: () => void
}

function ChooseKind({ kind, setKind, onChosen }: ChooseKindProps) {
  const { t } = useTranslation()
  return (
    <Page title={t('applications.creation.kindTitle')} lead={t('applications.creation.step', { step: 1 })}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onChosen()
        }}
      >
        <Stack gap="lg">
          <Radio.Group
            label={t('applications.creation.kind')}
            value={kind}
            onChange={(value) => setKind(value as Kind)} // one of those below
          >
            <Stack gap="md" mt="xs">
              {kinds.map((each) => (
                <Radio
                  key={each}
                  value={each}
                  label={t(`applications.kinds.${each}.name`)}
                  description={t(`applications.kinds.${each}.description`)}
                />
              ))}
            </Stack>
          </Radio.Group>
          <Group gap="sm">
            <Button type="submit">{t('applications.creation.next')}</Button>
            <ButtonLink to="/admin/applications" variant="subtle" color="gray">
              {t('general.cancel')}
            </ButtonLink>
          </Group>
        </Stack>
      </form>
    </Page>
  )
}

/** The form of the second step. */
function useAddresses(kind: Kind) {
  const { t } = useTranslation()
  return useForm({
    initialValues: { name: '', redirectUris: '', chooseOrganization: false },
    validate: {
      redirectUris: (text) => {
        const found = findFault(text, kind)
        return found ? t(`applications.faults.${found.fault}`, { ...found }) : null
      },
    },
  })
}

interface AddressesProps {
  readonly kind: Kind
  readonly form: ReturnType<typeof useAddresses>
  readonly onBack: () => void
  readonly onMade: (made: ApplicationWithSecret) => void
}

function Addresses({ kind, form, onBack, onMade }: AddressesProps) {
  const { t } = useTranslation()
  return (
    <Page title={t('applications.creation.addressesTitle')} lead={t('applications.creation.step', { step: 2 })}>
      <Form
        form={form}
        submit={t('applications.creation.submit')}
        send={({ redirectUris, ...rest }) => createApplication({ ...rest, kind, redirectUris: linesOf(redirectUris) })}
        onDone={onMade}
        others={
          <Button variant="subtle" color="gray" onClick={onBack}>
            {t('applications.creation.back')}
          </Button>
        }
      >
        <TextInput
          {...form.getInputProps('name')}
          label={t('applications.fields.name')}
          description={t('applications.fields.nameHint')}
          autoComplete="off"
          autoFocus
        />
        <AddressesField
          {...form.getInputProps('redirectUris')}
          kind={kind}
          label={t('applications.fields.redirectUris')}
          description={t(`applications.fields.redirectUrisHint.${kind}`)}
        />
        <Switch
          {...form.getInputProps('chooseOrganization', { type: 'checkbox' })}
          label={t('applications.fields.chooseOrganization')}
          description={t('applications.fields.chooseOrganizationHint')}
        />
      </Form>
    </Page>
  )
}

function Made({ made: { application, secret } }: { readonly made: ApplicationWithSecret }) {
  const { t } = useTranslation()
  return (
    <Page
      title={t('applications.creation.madeTitle', { name: application.name })}
      lead={t('applications.creation.step', { step: 3 })}
    >
      {secret !== null && (
        <Section title={t('applications.secret.title')}>
          <Secret secret={secret} />
        </Section>
      )}
      <Section title={t('applications.copy.title')} lead={t('applications.copy.lead')}>
        <SettingsToCopy application={application} place="next" />
      </Section>
      <Group mt="xl">
        {/* "Back" does not lead to the form again. */}
        <ButtonLink to="/admin/applications/$appId" params={{ appId: application.id }} ignoreBlocker replace>
          {t(secret === null ? 'applications.creation.done' : 'general.secret.saved')}
        </ButtonLink>
      </Group>
    </Page>
  )
}
