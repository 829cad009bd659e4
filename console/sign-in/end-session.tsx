/** Signing out an unknown device, by the link in the mail about it. */
import { Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import { Form } from '../parts/form.tsx'
import { isolate } from '../parts/language.ts'
import { ButtonLink } from '../parts/links.tsx'
import { useReader } from '../parts/reader.ts'
import { LoadingOrFailed } from '../parts/states.tsx'
import { Task } from '../parts/task.tsx'
import { callerQuery } from '../users/me.ts'
import { type MailedLink, OfLink, outcomeOf } from './mailed-link.tsx'

export function EndSessionPage() {
  return <OfLink>{(link) => <EndSession {...link} />}</OfLink>
}

function EndSession({ token, spend }: MailedLink) {
  const { t } = useTranslation()
  const [state, setState] = useState<'asking' | 'done' | 'spent'>('asking')
  const form = useForm({ initialValues: {} })
  const { locale, timeZone } = useReader()
  // Once: its key stays in memory.
  const query = useQuery({
    queryKey: ['end-session', token],
    queryFn: () => ask(api.POST('/api/auth/end-session/preview', { body: { token } })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  })
  const { data, error } = query

  if (state === 'done')
    return (
      <Task key="done" title={t('signIn.endSession.doneTitle')} lead={t('signIn.endSession.doneLead')}>
        <ButtonLink to="/forgot-password" fullWidth>
          {t('signIn.endSession.choose')}
        </ButtonLink>
      </Task>
    )
  if (state === 'spent' || isRefusal(error, 'token_spent'))
    return (
      <Task key="spent" title={t('signIn.link.spent')} lead={t('signIn.endSession.spentLead')}>
        <Stack gap="lg">
          <Text>{t('signIn.endSession.spentHint')}</Text>
          <ButtonLink to="/me/devices" variant="default" fullWidth>
            {t('signIn.endSession.devices')}
          </ButtonLink>
        </Stack>
      </Task>
    )
  if (data === undefined)
    return (
      <Task title={t('signIn.endSession.loading')}>
        <LoadingOrFailed query={query} rows={1} />
      </Task>
    )
  const inWords = (parts: Intl.DateTimeFormatOptions) =>
    isolate(new Intl.DateTimeFormat(locale, { ...parts, timeZone }).format(new Date(data.signedInAt)), locale)
  const date = inWords({ day: 'numeric', month: 'short' })
  const time = inWords({ hour: '2-digit', minute: '2-digit' })
  return (
    <Task
      key="asking"
      title={t('signIn.endSession.title', { device: data.device, date, time })}
      lead={t('signIn.endSession.lead')}
    >
      <Form
        form={form}
        submit={t('signIn.endSession.submit')}
        fullWidth
        send={() => outcomeOf(ask(api.POST('/api/auth/end-session', { body: { token } })))}
        onDone={(result) => {
          setState(result)
          spend()
          queries.removeQueries({ queryKey: callerQuery.queryKey }) // it may have been this session
          queries.removeQueries({ queryKey: ['end-session'] }) // the link may be opened again in this tab
        }}
      />
    </Task>
  )
}
