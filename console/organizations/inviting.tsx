/** Inviting one person or many. Each address gets a result, and addresses that were not invited stay in the field. */
import { Button, Fieldset, Group, NativeSelect, Stack, Text, Textarea } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { readAgainAfter } from '../api/queries.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Refused } from '../parts/form.tsx'
import { useUnsaved } from '../parts/unsaved.ts'
import { findAddresses } from './addresses.ts'
import { InvitingOptions } from './inviting-options.tsx'
import { countSent, InvitingResults } from './inviting-results.tsx'
import { type Terms, useTerms } from './inviting-terms.ts'
import { type Organization, readOrganizationsAgain } from './organization.ts'
import { whereOf } from './place.ts'
import { isRole } from './roles.ts'
import { mostAtOnce, type Sent, sendInvitations } from './sending.ts'

interface InvitingProps {
  readonly organization: Organization
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function Inviting({ organization, isOpen, onClose }: InvitingProps) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const terms = useTerms(organization, isOpen)
  const { role, isMailed } = terms.choices
  const [fault, setFault] = useState<string>()
  /** What gets the focus after sending. */
  const [next, setNext] = useState<'fault' | 'field' | 'results'>()
  const [done, setDone] = useState(0)
  const [sent, setSent] = useState<Sent>()
  const field = useRef<HTMLTextAreaElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const results = useRef<HTMLHeadingElement>(null)
  const isStopped = useRef(false)
  const emails = findAddresses(text)
  const isDone = sent !== undefined && text.trim() === ''
  useEffect(
    () => () => {
      isStopped.current = true // leaving the page stops the rest
    },
    [],
  )

  const leave = () => {
    if (isDone) terms.reset() // the next people get the usual choices
    setSent(undefined)
    setFault(undefined)
    onClose()
  }
  const finish = async (result: Sent) => {
    const { outcomes, faulty, left, halt } = result
    const count = countSent(outcomes)
    setText([...faulty, ...left].join('\n'))
    if (count > 0) void readOrganizationsAgain()
    const isFaulty = await terms.showFaults(halt)
    if (!isFaulty) void readAgainAfter(halt)
    const isLeft = field.current === null // the page is closed: only a notification can tell the result
    if (isLeft || (count === outcomes.length && left.length === 0)) {
      if (count > 0)
        notifications.show({
          message: t(isMailed ? 'organizations.inviting.sent' : 'organizations.inviting.created', { count }),
        })
      terms.reset()
      leave()
      return
    }
    if (isFaulty && outcomes.length === 0) {
      setNext('fault')
      return
    }
    setSent(isFaulty ? { ...result, halt: undefined } : result)
    if (faulty.length > 0)
      setFault(t('organizations.inviting.faulty', { count: faulty.length, addresses: faulty.join(', ') }))
    // The reason of a stop is shown with the results.
    setNext(faulty.length > 0 && halt === undefined ? 'field' : 'results')
  }
  const sending = useMutation({
    mutationFn: (checked: Terms) =>
      sendInvitations({ where: whereOf(organization), terms: checked, emails }, setDone, () => isStopped.current),
    meta: { shows: true },
    onSuccess: finish,
  })
  // Not before the fields can be used again: a disabled one takes no focus.
  useEffect(() => {
    if (next === undefined || sending.isPending) return
    if (next === 'fault') form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
    else (next === 'field' ? field : results).current?.focus()
    setNext(undefined)
  }, [next, sending.isPending])
  useUnsaved({ isDirty: () => isOpen && (sending.isPending || text.trim() !== '') })
  const close = () => {
    if (!sending.isPending) leave()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSent(undefined)
    if (emails.length === 0) {
      setFault(t('organizations.inviting.empty'))
      field.current?.focus()
      return
    }
    const checked = terms.check()
    if (checked === undefined) {
      setNext('fault')
      return
    }
    isStopped.current = false
    setDone(0)
    sending.mutate(checked)
  }

  return (
    <Dialog
      opened={isOpen}
      onClose={close}
      withCloseButton={!sending.isPending}
      size="lg"
      title={t('organizations.inviting.title', { name: organization.name })}
    >
      <form ref={form} noValidate onSubmit={submit}>
        <Stack gap="md">
          {sending.isError && <Refused error={sending.error} />}
          <Textarea
            ref={field}
            label={t('organizations.inviting.addresses')}
            description={t('organizations.inviting.addressesHint')}
            placeholder={t('organizations.inviting.placeholder')}
            autosize
            minRows={3}
            maxRows={9}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            data-autofocus
            value={text}
            error={fault}
            readOnly={sending.isPending}
            onChange={({ currentTarget }) => {
              setText(currentTarget.value)
              setFault(undefined)
            }}
          />
          <Fieldset variant="unstyled" mx={0} disabled={sending.isPending}>
            <Stack gap="md">
              <NativeSelect
                label={t('organizations.inviting.role')}
                description={t(`organizations.roleMeanings.${role}`)}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                value={role}
                error={terms.faults.role}
                onChange={({ currentTarget: { value } }) => isRole(value) && terms.choose({ role: value })}
                data={terms.offered.map((value) => ({ value, label: t(`organizations.roles.${value}`) }))}
              />
              <InvitingOptions terms={terms} />
            </Stack>
          </Fieldset>
          {sent && <InvitingResults sent={sent} isMailed={isMailed} heading={results} />}
          <Group justify="space-between" gap="sm">
            <Text size="sm" c="dimmed" role="status">
              {sending.isPending
                ? t('organizations.inviting.progress', { at: done, count: emails.length })
                : emails.length > 0 && t('organizations.inviting.found', { count: emails.length })}
            </Text>
            <Group gap="sm">
              {!sending.isPending && (
                <Button variant={isDone ? 'filled' : 'default'} onClick={close}>
                  {sent ? t('organizations.inviting.done') : t('general.cancel')}
                </Button>
              )}
              {sending.isPending && emails.length > mostAtOnce && (
                <Button
                  variant="default"
                  onClick={() => {
                    isStopped.current = true
                  }}
                >
                  {t('organizations.inviting.stop')}
                </Button>
              )}
              {!isDone && (
                <Button type="submit" loading={sending.isPending}>
                  {t(isMailed ? 'organizations.inviting.submit' : 'organizations.inviting.create', {
                    count: Math.max(emails.length, 1),
                  })}
                </Button>
              )}
            </Group>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
