/** The place of a webhook in the events: earlier to send some again, now to skip those that wait. */
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import { dayAt, startOfDay } from '../audit/days.ts'
import { Confirm } from '../parts/confirm.tsx'
import { DateField, faultOfDate } from '../parts/date-field.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { useReader } from '../parts/reader.ts'
import { changeWebhook, type Webhook, type WebhookList } from './webhook.ts'

interface PlaceProps {
  readonly list: WebhookList
  readonly webhook: Webhook
  /** Shows what becomes of the events that are sent. */
  readonly watch: () => void
}

/** How long ago, in seconds. */
const spans = { hour: 3_600, day: 86_400, week: 604_800 } as const
const choices = ['hour', 'day', 'week', 'date'] as const
type Choice = (typeof choices)[number]

export function PlaceInFeed({ list, webhook, watch }: PlaceProps) {
  const { t } = useTranslation()
  const [isReplaying, replaying] = useDisclosure()
  const [isSkipping, skipping] = useDisclosure()
  return (
    <Group gap="sm">
      <Button variant="default" onClick={replaying.open}>
        {t('webhooks.place.since.open')}
      </Button>
      <Button variant="default" onClick={skipping.open}>
        {t('webhooks.place.skip.open')}
      </Button>
      <Dialog opened={isReplaying} onClose={replaying.close} title={t('webhooks.place.since.title')}>
        <ReplayForm list={list} webhook={webhook} watch={watch} onDone={replaying.close} />
      </Dialog>
      <Confirm
        title={t('webhooks.place.skip.title')}
        submit={t('webhooks.place.skip.submit')}
        isOpen={isSkipping}
        onClose={skipping.close}
        act={() => changeWebhook(list, webhook, { after: 'latest' })}
        onDone={() => notifications.show({ message: t('webhooks.place.skip.done') })}
      >
        {t('webhooks.place.skip.lead')}
      </Confirm>
    </Group>
  )
}

function ReplayForm({ list, webhook, watch, onDone }: PlaceProps & { readonly onDone: () => void }) {
  const { t } = useTranslation()
  const { timeZone } = useReader()
  const today = dayAt(new Date(), timeZone)
  const faultOfFrom = (from: string) =>
    from === '' ? t('general.needed') : (faultOfDate(from) ?? (from > today ? t('webhooks.place.since.future') : null))
  const form = useForm({
    initialValues: { choice: 'hour' as Choice, from: '' },
    validate: { from: (from, { choice }) => (choice === 'date' ? faultOfFrom(from) : null) },
  })
  const { choice } = form.values
  const startOf = ({ choice, from }: typeof form.values) =>
    choice === 'date' ? startOfDay(from, timeZone) : new Date(Date.now() - spans[choice] * 1000)
  return (
    <Stack gap="md">
      <Text size="sm">{t('webhooks.place.since.lead')}</Text>
      <Form
        form={form}
        submit={t('webhooks.place.since.submit')}
        send={(values) => changeWebhook(list, webhook, { from: startOf(values).toISOString() })}
        onDone={() => {
          onDone()
          watch()
          notifications.show({ message: t('webhooks.place.since.done') })
        }}
      >
        <NativeSelect
          {...form.getInputProps('choice')}
          label={t('webhooks.place.since.label')}
          data={choices.map((each) => ({ value: each, label: t(`webhooks.place.since.${each}`) }))}
          data-autofocus
        />
        {choice === 'date' && (
          <DateField
            {...form.getInputProps('from')}
            label={t('webhooks.place.since.dateLabel')}
            description={t('webhooks.place.since.dateHint')}
            max={today}
          />
        )}
      </Form>
    </Stack>
  )
}
