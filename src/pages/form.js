/** The card of a page that does one thing: what it says, and the forms in it. */
import { make, Refusal } from './page.js'

const content = document.getElementById('content')

/** Replaces what the card shows, and moves the focus there, so that it is read out. */
export function show(title, words, ...rest) {
  document.title = `${title} · Guildhall`
  content.replaceChildren(make('h1', {}, title), ...(words ? [make('p', {}, words)] : []), ...rest)
  content.focus()
}

/**
 * A form that is sent by `submit`. What that throws is shown at the field it is about, or above the button.
 *
 * @param submit takes the values by name, without the empty ones
 */
export function makeForm(fields, action, submit, className = '') {
  const message = make('div', { role: 'alert' })
  const button = make('button', { type: 'submit', className }, action)
  const rows = fields.map(({ label, hint = '', ...properties }) => {
    const id = `field-${properties.name}`
    const help = make('p', { id: `${id}-hint`, className: 'hint' }, hint)
    const error = make('p', { id: `${id}-error`, className: 'error' })
    const input = make('input', { id, 'aria-describedby': `${help.id} ${error.id}`, ...properties })
    return {
      input,
      error,
      row: make('div', { className: 'field' }, make('label', { htmlFor: id }, label), input, help, error),
    }
  })
  const form = make('form', { method: 'post' }, ...rows.map(({ row }) => row), message, button)

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (button.disabled) return
    message.replaceChildren()
    for (const { input, error } of rows) {
      error.replaceChildren()
      input.removeAttribute('aria-invalid')
    }
    button.disabled = true
    try {
      await submit(Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== '')))
    } catch (error) {
      if (!showFaults(rows, error)) message.append(makeAlert(error))
    } finally {
      button.disabled = false
    }
  })
  return form
}

/** Puts each fault beside its field. @returns false when one of them, or the whole problem, is about something else */
function showFaults(rows, error) {
  const faults = error instanceof Refusal ? (error.problem.errors ?? []) : []
  const placed = faults.filter(({ pointer, detail }) => {
    const row = rows.find(({ input }) => pointer === `/${input.name}`)
    row?.input.setAttribute('aria-invalid', 'true')
    row?.error.append(`${detail} `)
    return row !== undefined
  })
  rows.find(({ input }) => input.hasAttribute('aria-invalid'))?.input.focus()
  return faults.length > 0 && placed.length === faults.length
}

export function makeAlert(error) {
  if (!(error instanceof Refusal)) console.error(error)
  const { code, title, detail } =
    error instanceof Refusal ? error.problem : { title: 'Something went wrong on this page.' }
  // Other details say what a caller of the API can do.
  return make('p', { className: 'error', role: 'alert' }, code === 'invalid_request' ? detail : title)
}

export function isProblem(error, ...codes) {
  return error instanceof Refusal && codes.includes(error.problem.code)
}
