/**
 * The page of a refusal: what a browser shows where a program gets a problem. Routes that browsers are sent to by others have it.
 *
 * Invariant: it runs no script, loads only our stylesheet, and contains nothing of the request.
 */
import type { onSendAsyncHookHandler } from 'fastify'
import type { App } from '../../platform/http/server.ts'
import { policyOf, typeOf } from './assets.ts'
import { escapeHtml, inWords } from './html.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether browsers are sent to the route, so that they get its problems as a page. */
    showsProblems?: true
  }
}

/** A problem, as it is answered. */
interface Shown {
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly requestId: string
  readonly errors?: readonly Fault[]
}

interface Fault {
  readonly pointer: string
  readonly detail: string
}

const policy = policyOf("style-src 'self'", "img-src 'self'")

/** Answers the problems of these routes as pages, if the browser says that it shows pages. */
export function showProblems(app: App): void {
  app.addHook('onRoute', (route) => {
    if (!route.config?.showsProblems) return
    const show: onSendAsyncHookHandler = async ({ headers }, reply, payload) => {
      if (!/\btext\/html\b/.test(headers.accept ?? '')) return payload
      if (!`${reply.getHeader('content-type')}`.startsWith('application/problem+json')) return payload
      reply.headers({ 'content-type': typeOf('index.html'), 'content-security-policy': policy, vary: 'Accept' })
      return refusalPage(JSON.parse(`${payload}`) as Shown) // as platform/http/errors.ts writes it
    }
    route.onSend = [show, ...[route.onSend ?? []].flat()] // HEAD has one of Fastify's, which tells the length
  })
}

function refusalPage({ status, title, detail, requestId, errors }: Shown): string {
  const isLater = status === 429 || status >= 500
  const heading = isLater ? 'We cannot answer right now' : 'The product has sent a request that we cannot answer'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${heading} · Guildhall</title>
<link rel="icon" href="/pages/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/pages/page.css">
</head>
<body>
<header class="bar"><span class="brand">Guildhall</span></header>
<main class="prose">
<h1>${heading}</h1>
<p>Nothing is wrong with your account. ${isLater ? 'Wait a minute, then reload this page.' : 'Go back to the product and try again.'}
If this page returns, show it to the people who make the product.</p>
<section aria-labelledby="developer">
<h2 id="developer">For the product’s developer</h2>
<ul>
${(errors?.map(faultIn) ?? [`<li>${inWords(`${title} ${detail}`)}</li>`]).join('\n')}
</ul>
</section>
<p class="status">Request <code>${escapeHtml(requestId)}</code></p>
</main>
</body>
</html>
`
}

function faultIn({ pointer, detail }: Fault): string {
  const name = pointer.replace(/^[?/]/, '')
  return `<li>${name && `<code>${escapeHtml(name)}</code>: `}${inWords(detail)}</li>`
}
