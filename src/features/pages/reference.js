/** Starts the API reference, with everything that would talk to another host switched off. */
window.Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  // Under whatever name this page was reached: its policy lets it ask no other origin.
  // The cookie of our own pages would come beside the token that is tried out, and two credentials are refused.
  customFetch: (input, options) => fetch(input, { ...options, credentials: 'omit' }),
  servers: [{ url: window.location.origin, description: 'This service' }],
  proxyUrl: '',
  telemetry: false,
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
