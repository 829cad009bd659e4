/** One user, for tenant admins: facts, access, devices, activity. */
import { Badge, Group, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { IconArrowLeft } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { EditForm } from '../parts/edit-form.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Page, Section } from '../parts/page.tsx'
import { TenantLog } from '../tenants/log.tsx'
import classes from './administration.module.css'
import { UserAccess } from './administration-access.tsx'
import { DeleteUser } from './administration-deletion.tsx'
import { UserDevices } from './administration-devices.tsx'
import { UserFacts } from './administration-facts.tsx'
import { UserKeys } from './administration-keys.tsx'
import { UserMetadata } from './administration-metadata.tsx'
import { UserOrganizations } from './administration-organizations.tsx'
import { UserSignIn } from './administration-sign-in.tsx'
import { nameOf, readUser, type User, updateUser, useUserOfPage } from './administration-user.ts'
import { Verified } from './directory.tsx'
import { useMe } from './me.ts'
import '../texts/administration.ts'

export function UserPage() {
  const { t } = useTranslation()
  const { userId } = useParams({ from: '/inside/admin/users/$userId' })
  const { user, isGone } = useUserOfPage(userId)
  const isMe = useMe().id === user.id
  const toAll = (
    <ButtonLink to="/admin/users" variant="default" leftSection={<IconArrowLeft size={16} stroke={1.8} />}>
      {t('directory.users.all')}
    </ButtonLink>
  )
  if (isGone)
    return (
      <Page title={t('directory.user.gone')} lead={t('directory.user.goneLead')}>
        {toAll}
      </Page>
    )
  return (
    <Page
      key={userId}
      width="wide"
      title={nameOf(user)}
      lead={
        <Group component="span" gap="xs">
          {/* The title of a user without a name is their address. */}
          {user.name !== null && (
            <span>
              {user.email} {user.emailVerified && <Verified isVerified />}
            </span>
          )}
          {user.name === null && user.emailVerified && t('directory.verified')}
          {!user.emailVerified && <Badge color="yellow">{t('directory.unverified')}</Badge>}
          {isMe && <Badge>{t('directory.you')}</Badge>}
          {user.role === 'admin' && <Badge>{t('directory.roles.admin')}</Badge>}
          {user.status === 'suspended' && <Badge color="yellow">{t('directory.statuses.suspended')}</Badge>}
        </Group>
      }
      actions={toAll}
    >
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
          <Section
            title={t('directory.user.devices')}
            lead={t('directory.user.devicesLead', { context: isMe ? 'me' : 'them' })}
          >
            <UserDevices user={user} isMe={isMe} />
          </Section>
          <UserKeys user={user} isMe={isMe} />
          <Section title={t('directory.user.organizations')}>
            <UserOrganizations user={user} isMe={isMe} />
          </Section>
          <Section
            title={t('directory.user.metadata')}
            lead={t('directory.user.metadataLead', { context: isMe ? 'me' : 'them' })}
          >
            <UserMetadata user={user} isMe={isMe} />
          </Section>
          <Section title={t('directory.user.activity')}>
            <TenantLog userId={user.id} limit={20} />
          </Section>
          <Section title={t('directory.deletion.title', { context: isMe ? 'me' : 'them' })}>
            <DeleteUser user={user} isMe={isMe} />
          </Section>
        </div>
      </div>
    </Page>
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
