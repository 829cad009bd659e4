/** Refusals are shown beside their field. Our own server's have the same form as Guildhall's. */
import { type GuildhallError, isGuildhallError } from '@guildhall/client'
import { find, make } from './elements.ts'

/** The fields of codes that do not point at one. Other codes point at their field, or are about the whole form. */
const fields: Readonly<Record<string, string>> = {
  already_a_member: 'email',
  already_invited: 'email',
  email_domain_not_allowed: 'email',
}

/** Sets the function that sends a form's values when it is submitted. */
export function onSubmit(form: HTMLFormElement, send: (values: Record<string, string>) => Promise<void>): void {
  form.onsubmit = (event) => {
    event.preventDefault()
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))
    attempt(form, async () => {
      setReadOnly(form, true) // changes made from now on would be lost
      await send(values).finally(() => setReadOnly(form, false))
      form.reset()
    })
  }
}

function setReadOnly(form: HTMLFormElement, readOnly: boolean): void {
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea'))
    field.readOnly = readOnly
}

/** Runs one action at a time, and shows in `place` why it failed. */
export async function attempt(place: HTMLElement, deed: () => Promise<void>): Promise<void> {
  if (place.ariaBusy === 'true') return
  place.ariaBusy = 'true'
  try {
    clear(place)
    await deed()
  } catch (error) {
    show(place.isConnected ? place : find('notice', HTMLElement), error) // `place` may have been replaced meanwhile
    if (isGuildhallError(error, 'not_found')) document.dispatchEvent(new Event('stale')) // the page shows an outdated state
  } finally {
    place.ariaBusy = null
  }
}

/** @throws any error that is no refusal */
export function show(place: HTMLElement, error: unknown): void {
  if (error instanceof DOMException && error.name === 'AbortError') return // the page has moved on
  if (!isGuildhallError(error)) throw error
  // All drafts go: the next person to sign in may be somebody else.
  if (error.code === 'unauthenticated') location.replace('/?ended')
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
  if (error.code === 'second_factor_required') place.append(make('p', { className: 'refusal' }, secondFactorLink()))
  place.querySelector<HTMLElement>('[aria-invalid]')?.focus()
}

/** Guildhall asks for the second factor, or lets the person add their first one, and sends them back to this organization. */
function secondFactorLink(): HTMLElement {
  const href = `/sign-in?${new URLSearchParams({ 'second-factor': '', organization: location.hash.slice(1) })}`
  return make('a', { href }, 'Confirm with a second factor')
}

function faultsOf(error: GuildhallError): { name: string; detail: string }[] {
  if (error.errors.length === 0) return [{ name: fields[error.code] ?? '', detail: sentenceOf(error) }]
  return error.errors.map(({ pointer, detail }) => ({ name: pointer.slice(1), detail }))
}

/** The whole message for people. If it names fields or paths for programs, only its title. */
function sentenceOf({ code, message, problem }: GuildhallError): string {
  if (code === 'unreachable') return 'The server of Notes does not answer.'
  return problem?.detail?.includes('`') ? problem.title : message.trim()
}

function clear(place: HTMLElement): void {
  for (const said of place.querySelectorAll('.refusal')) said.remove()
  for (const field of place.querySelectorAll('[aria-invalid]')) {
    field.removeAttribute('aria-invalid')
    field.removeAttribute('aria-describedby')
  }
}
