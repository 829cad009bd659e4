/** What the scripts of our pages have in common: making elements, and asking the API. */

/**
 * Makes an element.
 *
 * @param properties of the element; those with a hyphen, and `role`, are attributes
 * @param children elements and texts; texts stay texts
 */
export function make(name, properties = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes('-') || key === 'role') element.setAttribute(key, value)
    else element[key] = value
  }
  element.append(...children)
  return element
}

/** What the API answered instead of what was asked for: `problem` is its problem document. */
export class Refusal extends Error {
  constructor(problem) {
    super(problem.title)
    this.problem = problem
  }
}

/**
 * Asks the API of this origin, and hands back the answer's body.
 *
 * @param tenant the slug of a tenant other than the host's or the default one
 * @throws Refusal
 */
export async function ask(method, path, { body, headers, tenant } = {}) {
  let response
  try {
    response = await fetch(`/api${path}`, {
      method,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(tenant && { 'Guildhall-Tenant': tenant }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  } catch {
    throw new Refusal({ code: 'unreachable', title: 'The service cannot be reached.' })
  }
  const answer = response.status === 204 ? undefined : await response.json().catch(() => undefined)
  if (!response.ok) throw new Refusal(answer ?? { code: 'internal', title: `The service answered ${response.status}.` })
  return answer
}
