/** The profile of one user, for admins: facts, name, access, ways to sign in, deletion, metadata. */
import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import { Advanced } from '../parts/advanced.tsx'
import { EditForm } from '../parts/edit-form.tsx'
import { Section } from '../parts/page.tsx'
import classes from './administration.module.css'
import { UserAccess } from './administration-access.tsx'
import { DeleteUser } from './administration-deletion.tsx'
import { UserFacts } from './administration-facts.tsx'
import { UserMetadata } from './administration-metadata.tsx'
import { UserSignIn } from './administration-sign-in.tsx'
import { readUser, type User, updateUser, useUserOfTab } from './administration-user.ts'

export function UserProfilePage() {
  const { t } = useTranslation()
  const { user, isMe } = useUserOfTab()
  return (
    <div className={classes.columns}>
      <UserFacts user={user} />
      <div className={classes.main}>
        <Section title={t('directory.user.profile')}>
          <NameForm user={user} isMe={isMe} />
        </Section>
        <Section title={t('directory.user.access')} {...(isMe && { lead: t('directory.user.accessOfMe') })}>
          <UserAccess user={user} isMe={isMe} />
        </Section>
        <Section title={t('directory.signIn.title')}>
          <UserSignIn user={user} isMe={isMe} />
        </Section>
        <Section title={t('directory.deletion.title', { context: isMe ? 'me' : 'them' })}>
          <DeleteUser user={user} isMe={isMe} />
        </Section>
        <Advanced>
          <Text size="sm" c="dimmed" my="sm">
            {t('directory.user.metadataLead', { context: isMe ? 'me' : 'them' })}
          </Text>
          <UserMetadata user={user} isMe={isMe} />
        </Advanced>
      </div>
    </div>
  )
}

interface NameFormProps {
  readonly user: User
  readonly isMe: boolean
}

const pick = ({ name }: User) => ({ name: name ?? '' })

function NameForm({ user, isMe }: NameFormProps) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: pick(user) })
  return (
    <div className={classes.form}>
      <EditForm
        form={form}
        thing={user}
        pick={pick}
        read={() => readUser(user.id)}
        save={({ name }, before) => updateUser(before, { name: name.trim() === '' ? null : name })}
        onSaved={() => notifications.show({ message: t('directory.user.nameSaved') })}
      >
        <TextInput
          {...form.getInputProps('name')}
          label={t('directory.user.name')}
          description={t('directory.user.nameHint', { context: isMe ? 'me' : 'them' })}
          autoComplete="off"
        />
      </EditForm>
    </div>
  )
}
