/** Starts the API reference, with everything that would talk to another host switched off. */
window.Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  // Under whatever name this page was reached: its policy lets it ask no other origin.
  customFetch: send,
  servers: [{ url: window.location.origin, description: 'This service' }],
  proxyUrl: '',
  telemetry: false,
  theme: 'none',
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  authentication: {
    preferredSecurityScheme: 'session',
    securitySchemes: {
      session: {
        description: 'A session token. While this is empty, requests are sent with the session of this browser.',
      },
    },
  },
  localization: {
    translations: {
      // In place of "Auth Required".
      authentication: {
        required: 'Credential required',
        optional: 'Credential optional',
        detailsRequired: 'Credential required',
        detailsOptional: 'Credential optional',
      },
    },
  },
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: 'direct',
  defaultOpenFirstTag: true,
  metaData: { title: 'API reference · Guildhall' },
})

/** Sends the session's cookie, unless another credential was entered: the service refuses two. */
async function send(input, options) {
  const request = new Request(input, options)
  const { headers } = request
  // Scalar sends this for a token that nobody has entered.
  if (/^bearer *$/i.test(headers.get('authorization') ?? '')) headers.delete('authorization')
  const answer = await fetch(request, { credentials: headers.has('authorization') ? 'omit' : 'same-origin' })
  // It may have ended the session, or changed the address.
  if (!['GET', 'HEAD'].includes(request.method)) void showCaller()
  return answer
}

let asked = 0

/** Says in the bar as whom requests are sent, and nothing of it while that is unknown. */
async function showCaller() {
  const turn = ++asked
  const answer = await fetch('/api/users/me').catch(() => undefined)
  const isKnown = answer?.ok || answer?.status === 401
  const { email } = answer?.ok ? await answer.json() : {}
  if (turn !== asked) return // a later answer says more
  const signIn = { href: '/sign-in', target: '_blank', textContent: 'Sign in' }
  const link = () => Object.assign(document.createElement('a'), signIn)
  const words = [
    'Requests are real. ',
    ...(email ? [`Without a token, you are ${email}.`] : isKnown ? [link(), ' to send them without a token.'] : []),
  ]
  document.querySelector('.caller').replaceChildren(...words)
}

showCaller()
// Somebody may have signed in or out in another tab or window.
document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && showCaller())
window.addEventListener('focus', showCaller)

/** What controls of Scalar lack for those who do not see them. */
const lacking = [
  ['.scalar-code-copy', 'aria-label', 'Copy'],
  ['.cm-content', 'aria-label', 'Code'],
  ['[role=combobox]', 'aria-expanded', 'false'],
]

function complete() {
  for (const [selector, name, value] of lacking)
    for (const each of document.querySelectorAll(`${selector}:not([${name}])`)) each.setAttribute(name, value)
  for (const each of document.querySelectorAll('button[role=none]')) each.removeAttribute('role')
  // The code that a button copies may have been replaced since.
  for (const each of document.querySelectorAll('button[aria-controls]:not([aria-expanded])'))
    if (!document.getElementById(each.getAttribute('aria-controls'))) each.removeAttribute('aria-controls')
  // The keyboard scrolls what has the focus.
  for (const each of document.querySelectorAll('.cm-scroller[tabindex="-1"]')) each.setAttribute('tabindex', '0')
}

new MutationObserver(complete).observe(document.body, {
  childList: true,
  subtree: true,
  attributeFilter: ['aria-expanded', 'role'],
})
