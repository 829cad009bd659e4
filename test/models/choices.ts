/** Choices: the random subjects of a step. Most of them lead somewhere, and some do not. */
import fc from 'fast-check'
import { type Name, names, type Population, pendingInvitations, type Role, roles } from './population.ts'

/** Each step uses the fields that it needs. */
export interface Choice {
  readonly by: Name
  readonly name: Name
  /** Each person has two addresses. */
  readonly to: string
  readonly role: Role
  /** An organization. */
  readonly at: number
  /** An invitation. */
  readonly number: number
  /** Who answers the invitation: mostly the invited person. */
  readonly addressee: Name
  /** The organization in the path: mostly the invitation's own. */
  readonly home: number
  /** Whether the link is from before a resend. */
  readonly isStale: boolean
  /** Whether to take a closed invitation. */
  readonly isClosed: boolean
  /** Whether to combine things that do not belong together. */
  readonly isMismatched: boolean
}

const labels = names.flatMap((name) => [name, `${name}2`])
const oneIn = (times: number) => fc.nat(times - 1).map((chance) => chance === 0)

export const choices: fc.Arbitrary<Choice> = fc.record({
  by: fc.constantFrom('ann', 'ann', 'ben', ...names), // the person with the most permissions acts most
  name: fc.constantFrom(...names),
  to: fc.constantFrom(...labels),
  role: fc.constantFrom(...roles),
  at: fc.nat(20),
  number: fc.nat(20),
  addressee: fc.constantFrom(...names),
  home: fc.constant(0),
  isStale: oneIn(8),
  isClosed: oneIn(3),
  isMismatched: oneIn(10),
})

/** Replaces the numbers by those of existing things, and the people by those concerned; some still do not match. */
export function settle(population: Population, choice: Choice): Choice {
  const { people, organizations, invitations } = population
  const { isMismatched, isClosed } = choice
  const at = pick(organizations, choice.at, ({ isDeleted }) => isMismatched || !isDeleted)
  const number = pick(invitations, choice.number, ({ status }) => isClosed !== /pending|expired/.test(status))
  const { email, at: home } = invitations[number] ?? { email: '', at }
  if (isMismatched) return { ...choice, at, number, home: at }

  const members = organizations[at]?.members.map(({ person }) => person) ?? []
  const invited = pendingInvitations(population).filter((each) => each.at === at)
  const known = [...members.map((member) => people[member].email), ...invited.map((each) => each.email)]
  const active = members.filter((member) => people[member].status === 'active')
  const by = oneOf(active, choice.by, choice.number)
  return {
    ...{ ...choice, by, at, number, home },
    to: oneOf(
      labels.filter((label) => !known.includes(label)),
      choice.to,
      choice.number,
    ),
    name: oneOf(
      members.filter((member) => member !== by),
      choice.name,
      choice.number,
    ),
    addressee: names.find((name) => people[name].email === email) ?? choice.addressee,
  }
}

/** The index of a suitable item, or of any if none is suitable. */
function pick<Item>(list: readonly Item[], number: number, isMeant: (item: Item) => boolean): number {
  const meant = [...list.entries()].filter(([, item]) => isMeant(item)).map(([index]) => index)
  return meant[number % meant.length] ?? (list.length > 0 ? number % list.length : 0)
}

/** The chosen person if they are suitable, else a suitable one. */
function oneOf<Word>(meant: readonly Word[], chosen: Word, number: number): Word {
  return meant.includes(chosen) ? chosen : (meant[number % meant.length] ?? chosen)
}
