/** People of an organization: their roles and invitations. All of it is in Guildhall. */
import type { Member, Organization, Role, User } from '@guildhall/client'
import { find, make, makePerson } from './elements.ts'
import { attempt, onSubmit } from './refusals.ts'
import { accounts, guildhall } from './session.ts'

const { members, invitations } = guildhall.organizations

export function nameOf({ name, email }: Member['user']): string {
  return name ?? email
}

export function showPeople(organization: Organization, user: User, everybody: readonly Member[]): void {
  const { id, slug, roles } = organization
  find('people', HTMLUListElement).replaceChildren(...everybody.map((each) => memberItem(organization, each, user)))
  find('more', HTMLAnchorElement).href = `${accounts}/organizations/${slug}`
  const form = find('invite', HTMLFormElement)
  form.hidden = !roles.includes('admin')
  find('invited-role', HTMLSelectElement).replaceChildren(...optionsOf(roles, 'member'))
  const done = find('invited', HTMLElement)
  done.textContent = ''
  onSubmit(form, async ({ email = '', role }) => {
    done.textContent = ''
    await invitations.create(id, { email, role: role as Role }) // one of the options
    done.textContent = `A mail is on its way to ${email}.`
  })
}

function memberItem({ id, name: place, roles }: Organization, member: Member, user: User): HTMLElement {
  const name = nameOf(member.user)
  const isSelf = member.user.id === user.id
  // Nobody can change a member above them, but everybody can leave.
  const mayChange = roles.includes('admin') && roles.includes(member.role)
  const item = make('li', { id: member.id }, makePerson(member.user.id, isSelf ? `${name} (you)` : name))

  if (mayChange) {
    const select = make('select', { ariaLabel: `Role of ${name}` }, ...optionsOf(roles, member.role))
    let { role } = member
    const change = async () => {
      const wanted = select.value as Role // one of the options
      select.value = role // until the change has succeeded
      role = (await members.update(id, member.id, { role: wanted })).role
      select.value = role
      if (isSelf) document.dispatchEvent(new Event('stale'))
    }
    select.onchange = () => attempt(item, change)
    item.append(select)
  } else item.append(make('span', { className: 'role' }, member.role))

  if (mayChange || isSelf) {
    const [verb, question] = isSelf ? ['Leave', `Leave ${place}?`] : ['Remove', `Remove ${name} from ${place}?`]
    const remove = async () => {
      if (!confirm(question)) return
      await members.remove(id, member.id)
      item.remove()
      find('people', HTMLUListElement).focus()
      if (isSelf) location.hash = ''
    }
    const onclick = () => attempt(item, remove)
    const title = `${verb} ${isSelf ? place : name}`
    item.append(make('button', { type: 'button', ariaLabel: title, title, onclick }, '×'))
  }
  return item
}

/** Nobody can grant a role above their own. */
function optionsOf(roles: readonly Role[], chosen: Role): HTMLOptionElement[] {
  return roles.map((role) => make('option', { value: role, defaultSelected: role === chosen }, role))
}
