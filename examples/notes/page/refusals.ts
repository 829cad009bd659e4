/** Refusals are shown beside what they are about. Our own server's have the form of Guildhall's. */
import { type GuildhallError, isGuildhallError } from '@guildhall/client'
import { find, make } from './elements.ts'
import { endSession } from './session.ts'

/** The fields that codes are about. Others point at theirs, or are about the whole. */
const fields: Readonly<Record<string, string>> = {
  already_a_member: 'email',
  already_invited: 'email',
  email_domain_not_allowed: 'email',
  email_taken: 'email',
}

/** Has what is in a form sent when it is submitted, in the way that was given last. */
export function onSubmit(form: HTMLFormElement, send: (values: Record<string, string>) => Promise<void>): void {
  form.onsubmit = (event) => {
    event.preventDefault()
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))
    attempt(form, async () => {
      setReadOnly(form, true) // what is written from now on would be lost
      await send(values).finally(() => setReadOnly(form, false))
      form.reset()
    })
  }
}

function setReadOnly(form: HTMLFormElement, readOnly: boolean): void {
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea'))
    field.readOnly = readOnly
}

/** Does something, once at a time, and says in `place` why it was not done. */
export async function attempt(place: HTMLElement, deed: () => Promise<void>): Promise<void> {
  if (place.ariaBusy === 'true') return
  place.ariaBusy = 'true'
  try {
    clear(place)
    await deed()
  } catch (error) {
    show(place.isConnected ? place : find('notice', HTMLElement), error) // elsewhere by now, if it is put away
    if (isGuildhallError(error, 'not_found')) document.dispatchEvent(new Event('stale')) // as is what the page shows
  } finally {
    place.ariaBusy = null
  }
}

/** @throws what is no refusal */
export function show(place: HTMLElement, error: unknown): void {
  if (error instanceof DOMException && error.name === 'AbortError') return // something else is to be shown by now
  if (!isGuildhallError(error)) throw error
  if (error.code === 'unauthenticated') endSession('Your session has ended. Please sign in again.')
  clear(place)
  for (const { name, detail } of faultsOf(error)) {
    const said = make('p', { className: 'refusal', id: `${place.id}-${name}-refusal`, role: 'alert' }, detail)
    const field = [...place.querySelectorAll('input, textarea, select')].find(
      (each) => each.getAttribute('name') === name,
    )
    if (field) field.after(said)
    else place.append(said)
    field?.setAttribute('aria-invalid', 'true')
    field?.setAttribute('aria-describedby', said.id)
  }
  place.querySelector<HTMLElement>('[aria-invalid]')?.focus()
}

function faultsOf(error: GuildhallError): { name: string; detail: string }[] {
  if (error.errors.length === 0) return [{ name: fields[error.code] ?? '', detail: sentenceOf(error) }]
  return error.errors.map(({ pointer, detail }) => ({ name: pointer.slice(1), detail }))
}

/** What is the case, and what to do about it, unless that is said to programs: then it names fields and paths. */
function sentenceOf({ code, message, problem }: GuildhallError): string {
  // To a page both are the same: nobody answers, or nobody who lets its origin ask.
  if (code === 'unreachable') return `Guildhall cannot be reached, or has not been told of ${location.origin}.`
  return problem?.detail?.includes('`') ? problem.title : message
}

function clear(place: HTMLElement): void {
  for (const said of place.querySelectorAll('.refusal')) said.remove()
  for (const field of place.querySelectorAll('[aria-invalid]')) {
    field.removeAttribute('aria-invalid')
    field.removeAttribute('aria-describedby')
  }
}
