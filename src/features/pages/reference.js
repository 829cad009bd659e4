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
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: 'direct',
  defaultOpenFirstTag: true,
  metaData: { title: 'API reference · Guildhall' },
})

/** Sends the session's cookie, unless another credential was entered: the service refuses two. */
function send(input, options) {
  const headers = new Headers(options?.headers ?? input.headers)
  return fetch(input, { ...options, credentials: headers.has('authorization') ? 'omit' : 'same-origin' })
}

/** Says in the bar as whom requests are sent. */
async function showCaller() {
  const answer = await fetch('/api/users/me')
  const { email } = answer.ok ? await answer.json() : {}
  const link = Object.assign(document.createElement('a'), {
    href: '/sign-in',
    target: '_blank',
    textContent: 'Sign in',
  })
  const words = email
    ? [`Requests are real, and sent as ${email}.`]
    : ['Requests are real. ', link, ' to send them as you.']
  document.querySelector('.caller').replaceChildren(...words)
}

showCaller()
// Somebody may have signed in or out in another tab.
document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && showCaller())
