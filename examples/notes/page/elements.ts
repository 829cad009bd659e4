/** Elements: finds and creates them. Text is inserted as text, never as markup. */

/** @returns the element with an id @throws Error if the page has none of this kind */
export function find<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`no ${kind.name} has the id ${id}`)
}

export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...content: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...content)
  return made
}

/** A person's name after its first letter. The letter's colour depends only on the id. */
export function makePerson(id: string, name: string): HTMLElement {
  const letter = make('span', { className: 'letter', ariaHidden: 'true' }, [...name][0]?.toUpperCase() ?? '')
  const hue = [...id].reduce((sum, each) => (sum * 31 + each.charCodeAt(0)) % 360, 0)
  letter.style.setProperty('--hue', `${hue}`)
  return make('span', { className: 'person' }, letter, name)
}
