/** Signing out an unknown device, by the link in the mail about it. */
import { Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Form } from '../parts/form.tsx'
import { ButtonLink } from '../parts/links.tsx'
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

  if (state === 'done')
    return (
      <Task key="done" title={t('signIn.endSession.doneTitle')} lead={t('signIn.endSession.doneLead')}>
        <ButtonLink to="/forgot-password" fullWidth>
          {t('signIn.endSession.choose')}
        </ButtonLink>
      </Task>
    )
  if (state === 'spent')
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
  return (
    <Task key="asking" title={t('signIn.endSession.title')} lead={t('signIn.endSession.lead')}>
      <Form
        form={form}
        submit={t('signIn.endSession.submit')}
        fullWidth
        send={() => outcomeOf(ask(api.POST('/api/auth/end-session', { body: { token } })))}
        onDone={(result) => {
          setState(result)
          spend()
          queries.removeQueries({ queryKey: callerQuery.queryKey }) // it may have been this session
        }}
      />
    </Task>
  )
}
