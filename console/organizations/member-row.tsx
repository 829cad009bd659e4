/** A row of the list of members, with the actions that the caller may take on this member. */
import { Badge, Menu, Table, Text, UnstyledButton } from '@mantine/core'
import {
  IconAdjustments,
  IconChevronDown,
  IconCrown,
  IconListCheck,
  IconLogout,
  IconUserCheck,
  IconUserMinus,
  IconUserPause,
} from '@tabler/icons-react'
import i18next from 'i18next'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { TextLink } from '../parts/links.tsx'
import { OneLine } from '../parts/one-line.tsx'
import { Picture } from '../parts/picture.tsx'
import { rowClasses } from '../parts/rows.tsx'
import { tableClasses } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { Ends } from './ends.tsx'
import { type Member, nameOf } from './member.ts'
import people from './people.module.css'
import type { Permission } from './permissions.ts'
import { covers, isRole, mayBecomeOwner, type Role, rolesFor } from './roles.ts'
import { RowMenu } from './row-menu.tsx'

interface MemberRowProps {
  readonly member: Member
  readonly isMe: boolean
  /** Whether the name leads to the page of the user, for admins. */
  readonly isLinked: boolean
  /** Whether the address has a column of its own. */
  readonly isWide: boolean
  /** Whether the organization requires a second factor. */
  readonly isFactorRequired: boolean
  /** Of the caller. */
  readonly permissions: readonly string[]
  /** All roles that there are. */
  readonly listed: readonly Schemas['Role'][]
  readonly onRole: (role: Role) => void
  readonly onTransfer: () => void
  readonly onAccess: () => void
  /** Suspends or reactivates. */
  readonly onStatus: () => void
  /** Shows what the member may do. */
  readonly onSee: () => void
  readonly onRemove: () => void
  readonly onLeave: () => void
}

export function MemberRow(props: MemberRowProps) {
  const { t } = useTranslation()
  const { member, isMe, isLinked, isWide, isFactorRequired, permissions, listed, onRole, onAccess, onSee } = props
  const { user, role, joinedAt } = member
  const mayChange = permissions.includes('members:update') && covers(permissions, member, listed)
  const offered = mayChange ? rolesFor(member, listed) : []
  return (
    <Table.Tr>
      <Table.Td>
        <span className={people.who}>
          <Picture url={user.avatarUrl} name={nameOf(member)} id={user.id} size={32} />
          <span className={people.told}>
            <span className={people.named}>
              {isLinked ? (
                <bdi className={tableClasses.line}>
                  <TextLink to="/admin/users/$userId" params={{ userId: user.id }} inherit>
                    {nameOf(member)}
                  </TextLink>
                </bdi>
              ) : (
                <OneLine className={user.name === null ? people.unnamed : ''}>
                  {user.name ?? t('organizations.members.unnamed')}
                </OneLine>
              )}
              {isMe && (
                <Badge size="sm" color="gray">
                  {t('organizations.members.you')}
                </Badge>
              )}
              {user.hasSecondFactor === false && isFactorRequired && (
                <Badge color="yellow">{t('organizations.members.withoutFactor')}</Badge>
              )}
              {(user.status === 'suspended' || member.status === 'suspended') && (
                <Badge color="yellow">{t('organizations.members.suspended')}</Badge>
              )}
              {member.expiresAt !== null && <Ends at={member.expiresAt} />}
            </span>
            {!isWide && (
              <span className={people.below}>
                <OneLine>{user.email}</OneLine>
              </span>
            )}
          </span>
        </span>
      </Table.Td>
      {isWide && (
        <Table.Td className={rowClasses.secondary}>
          <OneLine>{user.email}</OneLine>
        </Table.Td>
      )}
      <Table.Td className={people.role}>
        {offered.length > 1 ? (
          <RoleMenu name={nameOf(member)} role={role} offered={offered} onRole={onRole} />
        ) : (
          t(`organizations.roles.${role}`)
        )}{' '}
        {member.grants.length > 0 && (
          <GrantsBadge member={member} listed={listed} onOpen={mayChange && !isMe ? onAccess : onSee} />
        )}
      </Table.Td>
      <Table.Td className={`${rowClasses.quiet} ${people.time}`}>
        <span className={rowClasses.label}>{t('organizations.members.joined')} </span>
        <Time iso={joinedAt} isListed />
      </Table.Td>
      <Table.Td className={rowClasses.actions}>
        <Actions {...props} />
      </Table.Td>
    </Table.Tr>
  )
}

interface GrantsBadgeProps extends Pick<MemberRowProps, 'member' | 'listed'> {
  readonly onOpen: () => void
}

/** How many roles of the product a member has. It opens what they are. */
function GrantsBadge({ member, listed, onOpen }: GrantsBadgeProps) {
  const { t } = useTranslation()
  const names = member.grants.map(({ role }) => listed.find(({ key }) => key === role)?.name ?? role)
  const roles = new Intl.ListFormat(i18next.language).format(names)
  return (
    <Badge
      component="button"
      type="button"
      className={rowClasses.grants}
      color="gray"
      title={roles}
      aria-label={t('organizations.access.grantsOf', { count: member.grants.length, name: nameOf(member), roles })}
      onClick={onOpen}
    >
      +{member.grants.length}
    </Badge>
  )
}

interface RoleMenuProps {
  readonly name: string
  readonly role: Role
  readonly offered: readonly Role[]
  readonly onRole: (role: Role) => void
}

function RoleMenu({ name, role, offered, onRole }: RoleMenuProps) {
  const { t } = useTranslation()
  const button = useRef<HTMLButtonElement>(null)
  const choose = (next: string) => {
    button.current?.focus() // a dialog that opens next gives it back
    if (isRole(next)) onRole(next)
  }
  const label = t('organizations.members.roleOf', { name, role: t(`organizations.roles.${role}`) })
  return (
    <Menu position="bottom-start" width={280}>
      <Menu.Target>
        <UnstyledButton ref={button} className={rowClasses.role} aria-label={label}>
          {t(`organizations.roles.${role}`)}
          <IconChevronDown size={14} stroke={1.8} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={role} onChange={choose}>
          {offered.map((each) => (
            <Menu.RadioItem key={each} value={each} closeMenuOnClick data-autofocus={each === role || undefined}>
              <Text size="sm" fw={500}>
                {t(`organizations.roles.${each}`)}
              </Text>
              <Text size="xs" c="dimmed">
                {t(`organizations.roleMeanings.${each}`)}
              </Text>
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  )
}

function Actions(props: MemberRowProps) {
  const { member, isMe, permissions, listed, onTransfer, onAccess, onStatus, onSee, onRemove, onLeave } = props
  const { t } = useTranslation()
  const hasOwnRoles = listed.some(({ source }) => source === 'tenant')
  const isCovered = covers(permissions, member, listed)
  const may = (permission: Permission) => isCovered && permissions.includes(permission)
  const isSuspended = member.status === 'suspended'
  const StatusIcon = isSuspended ? IconUserCheck : IconUserPause
  const mayGetOwnership = may('ownership:transfer') && mayBecomeOwner(member)
  if (!isMe && !may('members:update') && !may('members:remove') && !mayGetOwnership) return null
  return (
    <RowMenu label={t('organizations.members.actionsFor', { name: nameOf(member) })}>
      {(refocus) =>
        isMe ? (
          <>
            <Menu.Item leftSection={<IconListCheck size={16} aria-hidden />} onClick={refocus(onSee)}>
              {t('organizations.access.openOwn')}
            </Menu.Item>
            <Menu.Item c="red" leftSection={<IconLogout size={16} aria-hidden />} onClick={refocus(onLeave)}>
              {t('organizations.members.leave')}
            </Menu.Item>
          </>
        ) : (
          <>
            {may('members:update') && (hasOwnRoles || member.role !== 'owner') && (
              <Menu.Item leftSection={<IconAdjustments size={16} aria-hidden />} onClick={refocus(onAccess)}>
                {t(`organizations.access.${hasOwnRoles ? 'open' : 'openEnd'}`)}
              </Menu.Item>
            )}
            {may('members:update') && member.role !== 'owner' && (
              <Menu.Item leftSection={<StatusIcon size={16} aria-hidden />} onClick={refocus(onStatus)}>
                {t(`organizations.access.${isSuspended ? 'reactivate' : 'suspend'}`)}
              </Menu.Item>
            )}
            {mayGetOwnership && (
              <Menu.Item leftSection={<IconCrown size={16} aria-hidden />} onClick={refocus(onTransfer)}>
                {t('organizations.members.transfer')}
              </Menu.Item>
            )}
            {may('members:remove') && (
              <Menu.Item c="red" leftSection={<IconUserMinus size={16} aria-hidden />} onClick={refocus(onRemove)}>
                {t('organizations.members.remove')}
              </Menu.Item>
            )}
          </>
        )
      }
    </RowMenu>
  )
}
