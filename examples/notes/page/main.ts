/** The page: the signed-in user and one organization, whose slug is after `#` in the address. */
import type { Invitation } from '@guildhall/client'
import { find, make } from './elements.ts'
import { ask, showNotes } from './notes.ts'
import { nameOf, showPeople } from './people.ts'
import { attempt, onSubmit, show } from './refusals.ts'
import { accounts, guildhall } from './session.ts'

const notice = find('notice', HTMLElement)
const organizationSelect = find('organization', HTMLSelectElement)
/** The hidden parts for one organization, as the page had them when it was loaded. */
const blanks = ['here', 'people-here'].map((id) => find(id, HTMLElement).cloneNode(true) as HTMLElement) // a clone has the type of its original
let shownId: string | undefined
let reading = new AbortController()

onSubmit(find('create', HTMLFormElement), async ({ name = '' }) => {
  location.hash = (await guildhall.organizations.create({ name })).slug
})
find('sign-out', HTMLButtonElement).onclick = () =>
  attempt(notice, async () => {
    location.replace((await ask('POST', '/sign-out')).url) // to Guildhall, which ends its session, too
  })
find('account', HTMLAnchorElement).href = `${accounts}/me`

organizationSelect.onchange = () => {
  location.hash = organizationSelect.value
}
window.onhashchange = () => {
  putAway()
  showAnew()
}
document.addEventListener('stale', showAll)
window.onpageshow = ({ persisted }) => {
  if (persisted) location.reload() // the browser restored a page from its cache, perhaps after signing out
}
showAll()

/** Discards drafts and pending requests of the previous organization, so that they never reach the next one. */
function putAway(): void {
  shownId = undefined
  for (const blank of blanks) find(blank.id, HTMLElement).replaceWith(blank.cloneNode(true))
}

function showAnew(): Promise<void> {
  notice.textContent = ''
  return showAll()
}

/** Shows the present state, and aborts the previous read. */
async function showAll(): Promise<void> {
  reading.abort()
  reading = new AbortController()
  const { signal } = reading
  await readAll(signal).catch((error) => {
    if (signal.aborted) return
    notice.textContent = ''
    show(notice, error)
    notice.append(make('button', { type: 'button', onclick: showAnew }, 'Try again'))
  })
}

async function readAll(signal: AbortSignal): Promise<void> {
  const { me, organizations } = guildhall
  const [user, all, invitations] = await Promise.all([
    me.get({ signal }),
    Array.fromAsync(organizations.list({ limit: 100 }, { signal })),
    Array.fromAsync(me.invitations.list({ limit: 100 }, { signal })),
  ])
  find('account', HTMLAnchorElement).textContent = nameOf(user)
  find('invitations', HTMLUListElement).replaceChildren(...invitations.map(invitationItem))

  const slug = location.hash.slice(1)
  const mine = all.filter(({ membership }) => membership?.status === 'active')
  const organization = mine.find((each) => each.slug === slug) ?? mine[0]
  if (organization?.id !== shownId) putAway()
  if (slug && slug !== organization?.slug)
    notice.textContent = `There is no organization “${slug}”, or you are not in it.`
  history.replaceState(null, '', organization ? `/#${organization.slug}` : '/')
  const options = mine.map((each) => make('option', { value: each.slug, selected: each === organization }, each.name))
  organizationSelect.replaceChildren(...options)
  find('nowhere', HTMLElement).hidden = organization !== undefined
  find('switch', HTMLElement).hidden = organization === undefined
  for (const id of ['account', 'desk']) find(id, HTMLElement).hidden = false
  if (!organization) return

  const members = await Array.fromAsync(organizations.members.list(organization.id, { limit: 100 }, { signal }))
  find('title', HTMLElement).textContent = organization.name
  showPeople(organization, user, members)
  await showNotes(organization, user, members, signal)
  shownId = organization.id
  for (const { id } of blanks) find(id, HTMLElement).hidden = false
}

function invitationItem({ id, organization, role, invitedBy }: Invitation): HTMLElement {
  const text = `${invitedBy?.name ?? 'Somebody'} invites you to ${organization.name}, as ${role}.`
  const item = make('li', { id }, make('span', {}, text))
  const join = async () => {
    await guildhall.invitations.accept(id)
    location.hash = organization.slug
  }
  const onclick = () => attempt(item, join)
  item.append(make('button', { type: 'button', ariaLabel: `Join ${organization.name}`, onclick }, 'Join'))
  return item
}
