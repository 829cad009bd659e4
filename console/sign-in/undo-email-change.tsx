/** Undoing a change of email address, by the link that was mailed to the old address. */
import { Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { Form } from '../parts/form.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Task } from '../parts/task.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { callerQuery } from '../users/me.ts'
import { isAbout, type MailedLink, OfLink, outcomeOf } from './mailed-link.tsx'
import { forgetCaller } from './session.ts'

export function UndoEmailChangePage() {
  return <OfLink>{(link) => <UndoEmailChange {...link} />}</OfLink>
}

function UndoEmailChange({ token, spend }: MailedLink) {
  const { t } = useTranslation()
  const tenant = useTenant()
  const { data: caller } = useQuery(callerQuery)
  const [state, setState] = useState<'asking' | 'done' | 'spent'>('asking')
  const form = useForm({ initialValues: {} })

  if (state === 'done')
    return (
      <Task key="done" title={t('signIn.undo.doneTitle')} lead={t('signIn.undo.doneLead')}>
        <ButtonLink to="/forgot-password" variant="default" fullWidth>
          {t('signIn.undo.another')}
        </ButtonLink>
      </Task>
    )
  if (state === 'spent')
    return (
      <Task key="spent" title={t('signIn.link.spent')} lead={t('signIn.undo.spentLead')}>
        <Stack gap="lg">
          <Text>{t('signIn.undo.spentHint', { tenant: tenant.name })}</Text>
          <ButtonLink to="/forgot-password" variant="default" fullWidth>
            {t('signIn.undo.choose')}
          </ButtonLink>
        </Stack>
      </Task>
    )
  return (
    <Task key="asking" title={t('signIn.undo.title')} lead={t('signIn.undo.lead')}>
      <Form
        form={form}
        submit={t('signIn.undo.submit')}
        fullWidth
        send={() => outcomeOf(ask(api.POST('/api/auth/undo-email-change', { body: { token } })))}
        onDone={(result) => {
          setState(result)
          spend()
          if (result === 'done' && isAbout(token, caller)) forgetCaller() // all their sessions have ended
        }}
      >
        <Text>{t('signIn.undo.effects')}</Text>
      </Form>
    </Task>
  )
}
