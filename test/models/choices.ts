/** Choices: what a step is about, chosen at random, so that most of it leads somewhere and some of it does not. */
import fc from 'fast-check'
import { type Name, names, type Population, pendingInvitations, type Role, roles } from './population.ts'

/** Each step takes of it what it needs. */
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
  /** Who answers the invitation: mostly whom it went to. */
  readonly addressee: Name
  /** Where the invitation is looked for: mostly in its organization. */
  readonly home: number
  /** Whether the link is one of before the invitation was sent again. */
  readonly isStale: boolean
  /** Whether the invitation is to be one that is closed. */
  readonly isClosed: boolean
  /** Whether it is about what does not fit together. */
  readonly isOdd: boolean
}

const labels = names.flatMap((name) => [name, `${name}2`])
const oneIn = (times: number) => fc.nat(times - 1).map((chance) => chance === 0)

export const choices: fc.Arbitrary<Choice> = fc.record({
  by: fc.constantFrom('ann', 'ann', 'ben', ...names), // who may do most does most
  name: fc.constantFrom(...names),
  to: fc.constantFrom(...labels),
  role: fc.constantFrom(...roles),
  at: fc.nat(20),
  number: fc.nat(20),
  addressee: fc.constantFrom(...names),
  home: fc.constant(0),
  isStale: oneIn(8),
  isClosed: oneIn(3),
  isOdd: oneIn(10),
})

/** Makes the numbers those of things that there are, and the people those who have to do with them; some fit nowhere. */
export function settle(population: Population, choice: Choice): Choice {
  const { people, organizations, invitations } = population
  const { isOdd, isClosed } = choice
  const at = pick(organizations, choice.at, ({ isDeleted }) => isOdd || !isDeleted)
  const number = pick(invitations, choice.number, ({ status }) => isClosed !== /pending|expired/.test(status))
  const { email, at: home } = invitations[number] ?? { email: '', at }
  if (isOdd) return { ...choice, at, number, home: at }

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

/** The index of an item that is meant, or of any where none is. */
function pick<Item>(list: readonly Item[], number: number, isMeant: (item: Item) => boolean): number {
  const meant = [...list.entries()].filter(([, item]) => isMeant(item)).map(([index]) => index)
  return meant[number % meant.length] ?? (list.length > 0 ? number % list.length : 0)
}

/** The chosen one if they are among the meant ones, else one of these. */
function oneOf<Word>(meant: readonly Word[], chosen: Word, number: number): Word {
  return meant.includes(chosen) ? chosen : (meant[number % meant.length] ?? chosen)
}
