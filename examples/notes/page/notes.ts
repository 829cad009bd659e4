/** Notes of an organization, from our own server. */
import { GuildhallError, type Member, type Organization, type User } from '@guildhall/client'
import type { Note } from '../notes.ts'
import { find, make, makePerson } from './elements.ts'
import { nameOf } from './people.ts'
import { attempt, onSubmit } from './refusals.ts'
import { guildhall } from './session.ts'

const time = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

/** @param members the present members, for the authors' names, because our server knows no names */
export async function showNotes(
  organization: Organization,
  user: User,
  members: readonly Member[],
  signal: AbortSignal,
) {
  const list = find('notes', HTMLUListElement)
  const path = `/api/organizations/${organization.id}/notes`
  const mayDelete = await guildhall.check(organization.id, 'notes:delete', { signal })
  const names = new Map(members.map((member) => [member.user.id, nameOf(member.user)]))
  const itemOf = (note: Note) => {
    const name = names.get(note.authorId) ?? 'A former member'
    const written = make('time', { dateTime: note.createdAt }, time.format(new Date(note.createdAt)))
    const footer = make('footer', {}, makePerson(note.authorId, name), written)
    const item = make('li', { id: `note-${note.id}` }, make('p', {}, note.text), footer)
    const remove = async () => {
      if (!confirm(`Delete this note of ${name}?`)) return
      await ask('DELETE', `${path}/${note.id}`)
      item.remove()
      list.focus()
    }
    const onclick = () => attempt(item, remove)
    if (note.authorId === user.id || mayDelete)
      footer.append(make('button', { type: 'button', ariaLabel: `Delete the note of ${name}`, onclick }, 'Delete'))
    return item
  }

  onSubmit(find('write', HTMLFormElement), async ({ text }) => {
    list.prepend(itemOf(await ask('POST', path, { body: JSON.stringify({ text }) })))
  })
  list.replaceChildren(...(await ask('GET', path, { signal })).map(itemOf))
}

/** @throws GuildhallError for our server's refusals, which have Guildhall's form */
export async function ask(method: string, path: string, content: RequestInit = {}) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(path, { ...content, method, headers }).catch((error) => {
    if (content.signal?.aborted) throw error
    throw new GuildhallError('unanswered', 'The server of Notes does not answer.')
  })
  if (response.status === 204) return
  const answer = await response.json().catch(() => {
    throw new GuildhallError('unexpected', 'The server of Notes sent an unexpected response.')
  })
  if (response.ok) return answer
  throw new GuildhallError(answer.code, answer.title, { status: response.status, problem: answer })
}
