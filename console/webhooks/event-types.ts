/** The types of events: what a webhook can be limited to, and a list of events filtered by. A newer service may know more. */
import { actions } from '../../src/domain/record/actions.ts'
import { actionsOf, organizationKinds } from '../audit/kinds.ts'
import type { EventType } from './webhook.ts'

export interface EventFamily {
  readonly family: EventType
  readonly types: readonly EventType[]
}

const families: readonly EventFamily[] = [
  ...Map.groupBy(actions, (action) => `${action.split('.')[0]}.*` as EventType), // each family has a word of its own
].map(([family, types]) => ({ family, types }))

/** What can happen in an organization. */
const { action: inOrganizations = [] } = actionsOf(organizationKinds)

/** @param isOfOrganization those alone that an organization has */
export function eventFamilies({ isOfOrganization }: { readonly isOfOrganization: boolean }): readonly EventFamily[] {
  return isOfOrganization ? families.filter(({ family }) => inOrganizations.includes(family)) : families
}

/** The words of these that name types or families. */
export function eventTypesIn(words: readonly string[]): EventType[] {
  return families.flatMap(({ family, types }) => [family, ...types]).filter((type) => words.includes(type))
}
