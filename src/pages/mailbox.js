/** The mailbox page: lists the mails of a tenant, newest first, and shows one. The key stands in the fragment, which no server sees. */
import { ask, make, Refusal } from './page.js'

const key = decodeURIComponent(location.hash.slice(1))
/** The slug of the tenant whose mails are shown. */
const tenant = new URLSearchParams(location.search).get('tenant') || 'default'
const every = 3000
/** As in mailbox.css: list and mail beside each other. */
const wide = matchMedia('(width >= 52rem)')

const at = (id) => document.getElementById(id)
const [desk, list, mailPane, status, older, recipient] = ['desk', 'list', 'mail', 'status', 'older', 'recipient'].map(
  at,
)

/** What was read: newest first, under `filter`; `cursor` leads to the older ones. */
let read = { filter: undefined, mails: [], cursor: null }
let chosen
let drawn = ''

addEventListener('hashchange', () => location.reload())
older.addEventListener('click', () => load(read.cursor))
recipient.addEventListener('input', () => {
  draw()
  if (addressFilter() !== read.filter) load()
})
at('filter').addEventListener('submit', (event) => event.preventDefault())
at('tenant').value = tenant
at('tenancy').addEventListener('submit', (event) => {
  event.preventDefault()
  const slug = at('tenant').value.trim() || 'default'
  location.href = `?${new URLSearchParams({ tenant: slug })}${location.hash}`
})
at('key').addEventListener('submit', (event) => {
  event.preventDefault()
  location.hash = encodeURIComponent(at('typed').value)
})

if (key) open()
else askForKey(false)

function open() {
  at('place').textContent = `Mails of the tenant ${tenant}`
  at('filters').hidden = false
  refresh()
}

/** Reads again and again, while somebody looks. */
async function refresh() {
  if (!document.hidden && !(await load())) return
  setTimeout(refresh, every)
}

/**
 * Reads the newest page, or the one after a cursor.
 *
 * @returns false when the key is wrong, so that there is no use in going on
 */
async function load(cursor) {
  const filter = addressFilter()
  const query = new URLSearchParams({ ...(filter && { to: filter }), ...(cursor && { cursor }) })
  try {
    const page = await ask('GET', `/mailbox?${query}`, { headers: { 'Guildhall-Mailbox-Key': key }, tenant })
    if (filter !== addressFilter()) return true // typed on meanwhile
    take(filter, page, cursor)
    draw()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.problem.code === 'not_found') {
      askForKey(true)
      return false
    }
    status.hidden = false
    status.textContent = error.problem.title
  }
  return true
}

function take(filter, { data, nextCursor }, cursor) {
  const old = read.filter === filter ? read.mails : []
  const [first, second] = cursor ? [old, data] : [data, old]
  const known = new Set(first.map(({ id }) => id))
  const mails = [...first, ...second.filter(({ id }) => !known.has(id))]
  // The newest page says where the list goes on only while no older one was read.
  read = { filter, mails, cursor: cursor || old.length === 0 ? nextCursor : read.cursor }
}

/** A whole address is looked up by the service; a part of one filters what was read. */
function addressFilter() {
  const text = recipient.value.trim()
  return /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i.test(text) ? text : undefined
}

function draw() {
  const part = read.filter ? '' : recipient.value.trim().toLowerCase()
  const mails = read.mails.filter(({ to }) => to.includes(part))
  if (chosen && !mails.some(({ id }) => id === chosen)) leave()
  if (!chosen && wide.matches && mails[0]) show(mails[0])
  older.hidden = !read.cursor
  list.hidden = mails.length === 0 && !read.cursor
  status.hidden = mails.length > 0
  status.textContent = recipient.value.trim()
    ? 'No mail to this recipient.'
    : `No mail in the tenant ${tenant} yet. Invite somebody or sign up: no SMTP server is set, so mails stay here.`

  const now = JSON.stringify([mails.map(({ id }) => id), chosen, new Date().toDateString()])
  if (now === drawn) return // so that nothing loses the focus without need
  drawn = now
  const focused = document.activeElement?.dataset?.mail
  list.querySelector('ul').replaceChildren(...mails.map(makeItem))
  if (focused) list.querySelector(`[data-mail="${focused}"]`)?.focus()
}

function makeItem(mail) {
  const button = make(
    'button',
    { type: 'button', className: 'item', 'aria-current': String(mail.id === chosen) },
    make('span', { className: 'subject' }, mail.subject),
    make('span', { className: 'to' }, mail.to),
    makeTime(mail.sentAt),
  )
  button.dataset.mail = mail.id
  button.addEventListener('click', () => {
    show(mail)
    desk.classList.add('reading')
    draw()
    mailPane.focus()
  })
  return make('li', {}, button)
}

function makeTime(sentAt) {
  const time = new Date(sentAt)
  const isToday = time.toDateString() === new Date().toDateString()
  const style = isToday ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' }
  return make(
    'time',
    { dateTime: sentAt, title: time.toLocaleString() },
    new Intl.DateTimeFormat(undefined, style).format(time),
  )
}

/** Shows a mail in a frame that runs no script; its links open in tabs of their own, which are as free as any. */
function show(mail) {
  chosen = mail.id
  const back = make('button', { type: 'button', className: 'quiet back' }, '← All mails')
  back.addEventListener('click', () => {
    const was = chosen
    leave()
    draw()
    list.querySelector(`[data-mail="${was}"]`)?.focus()
  })
  const frame = make('iframe', { title: mail.subject })
  frame.setAttribute('sandbox', 'allow-popups allow-popups-to-escape-sandbox')
  frame.srcdoc = mail.html.replace('<head>', '<head><base target="_blank">')
  mailPane.replaceChildren(
    back,
    make('h2', {}, mail.subject),
    make('p', { className: 'muted' }, `To ${mail.to}, `, makeTime(mail.sentAt)),
    frame,
    make('details', {}, make('summary', {}, 'As plain text'), make('pre', {}, mail.text)),
  )
  mailPane.hidden = false
}

function leave() {
  chosen = undefined
  desk.classList.remove('reading')
  mailPane.hidden = true
}

function askForKey(isRefused) {
  for (const part of [list, mailPane, status, at('filters')]) part.hidden = true
  at('refused').hidden = !isRefused
  at('key').hidden = false
}
