/** Organizations that would be left without an owner. Each can be transferred here. */
import { Button, Select } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { queries } from '../api/queries.ts'
import { nameOf, transferOwnership } from '../organizations/member.ts'
import { Confirm } from '../parts/confirm.tsx'
import { TextLink } from '../parts/links.tsx'
import listClasses from '../parts/list.module.css'
import { Picture } from '../parts/picture.tsx'
import type { Impact } from './deletion-impact.ts'
import classes from './me.module.css'

type Blocking = Impact['blockingOrganizations'][number]

export function Takeovers({ organizations }: { readonly organizations: readonly Blocking[] }) {
  return (
    <ul className={listClasses.framed}>
      {organizations.map((organization) => (
        <li key={organization.id} className={classes.item}>
          <Takeover organization={organization} />
        </li>
      ))}
    </ul>
  )
}

function Takeover({ organization }: { readonly organization: Blocking }) {
  const { t } = useTranslation()
  const { id, name, slug, memberCount, candidates } = organization
  const [memberId, setMemberId] = useState(candidates[0]?.id ?? null)
  const [isConfirming, setConfirming] = useState(false)
  const chosen = candidates.find((member) => member.id === memberId)
  return (
    <>
      <Picture url={null} name={name} id={id} size={36} shape="square" />
      <div className={classes.about}>
        <span className={classes.title}>{name}</span>
        <p className={classes.quiet}>
          {t('users.deletion.members', { count: memberCount })}
          {' · '}
          <TextLink to="/organizations/$orgId/members" params={{ orgId: slug }} inherit underline="always">
            {t('users.deletion.seeMembers')}
          </TextLink>
          {' · '}
          <TextLink
            to="/organizations/$orgId/settings"
            params={{ orgId: slug }}
            hash="deletion"
            inherit
            underline="always"
          >
            {t('users.deletion.deleteInstead')}
          </TextLink>
        </p>
      </div>
      {candidates.length === 0 ? (
        <p className={classes.quiet}>{t('users.deletion.noCandidates')}</p>
      ) : (
        <div className={classes.takeover}>
          <Select
            label={t('users.deletion.newOwner', { organization: name })}
            data={candidates.map((member) => ({
              value: member.id,
              label: member.user.name === null ? member.user.email : `${member.user.name} (${member.user.email})`,
            }))}
            value={memberId}
            onChange={setMemberId}
            allowDeselect={false}
            searchable={candidates.length > 7}
            checkIconPosition="right"
          />
          <Button
            variant="default"
            disabled={!chosen}
            aria-label={t('users.deletion.transferNamed', { organization: name })}
            onClick={() => setConfirming(true)}
          >
            {t('users.deletion.transfer')}
          </Button>
        </div>
      )}
      <Confirm
        title={t('users.deletion.transferTitle', { organization: name })}
        submit={t('users.deletion.transfer')}
        isGiving
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        act={() => (chosen ? transferOwnership(id, chosen.id) : Promise.resolve())}
        onDone={() => {
          void queries.invalidateQueries({ queryKey: ['organizations'] })
          if (chosen) {
            const names = { organization: name, person: nameOf(chosen) }
            notifications.show({ message: t('users.deletion.transferred', names) })
          }
          return queries.invalidateQueries({ queryKey: ['users', 'me'] })
        }}
      >
        {chosen && t('users.deletion.transferLead', { person: nameOf(chosen), organization: name })}
      </Confirm>
    </>
  )
}
