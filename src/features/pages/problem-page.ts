/** The page `/docs/problems`, to which the `type` of every problem points: made of the list of problems itself. */
import { STATUS_CODES } from 'node:http'
import { problems } from '../../domain/problems.ts'
import { faultCodes } from '../../platform/http/faults.ts'
import { escapeHtml, inWords } from './html.ts'

/** @returns the page as HTML */
export function problemPage(): string {
  const entries = Object.entries(problems)
  const statuses = [...new Set(entries.map(([, { status }]) => status))].sort((one, other) => one - other)
  const groups = statuses.map((status) => {
    const ofStatus = entries.filter(([, problem]) => problem.status === status)
    return `<section aria-labelledby="status-${status}">
<h2 id="status-${status}">${status} ${escapeHtml(STATUS_CODES[status] ?? '')}</h2>
${ofStatus.map(([code, { title, detail }]) => describe(code, status, title, detail)).join('\n')}
</section>`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Problems · Guildhall</title>
<link rel="icon" href="/pages/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/pages/page.css">
</head>
<body>
<header class="bar"><span class="brand">Guildhall</span><nav><a href="/docs">API reference</a></nav></header>
<main class="prose">
<h1>Problems</h1>
<p>Every error is answered as <code>application/problem+json</code> (<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>).
Go by its <code>code</code>: the list below is closed. The <code>title</code> and <code>detail</code> are for people and may be
reworded. The <code>requestId</code> finds the request in the service’s log.</p>
<p>With <a href="#invalid_request"><code>invalid_request</code></a>, <code>errors</code> names every field that is wrong by its
<code>pointer</code>, and says what is wrong by one of these codes: ${faultCodes.map((code) => `<code>${escapeHtml(code)}</code>`).join(', ')}.</p>
${groups.join('\n')}
</main>
</body>
</html>
`
}

function describe(code: string, status: number, title: string, detail: string): string {
  const anchor = escapeHtml(code)
  return `<article id="${anchor}" class="problem">
<h3><a href="#${anchor}">${anchor}</a> <span class="status">${status}</span></h3>
<p><strong>${escapeHtml(title)}</strong> ${inWords(detail)}</p>
</article>`
}
