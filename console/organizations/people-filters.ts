/** The filters of lists of members and of invitations, in the address. A page that has both has those of both. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type PeopleSearch, readPeopleSearch } from './people-search.ts'

type Changes = { readonly [Name in keyof PeopleSearch]?: PeopleSearch[Name] | undefined }

/** The filters, and how to change some of them; undefined and the empty text remove one. */
export function usePeopleSearch() {
  const search = readPeopleSearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const change = (changes: Changes) => {
    const merged = Object.entries({ ...search, ...changes }).filter(([, value]) => value !== undefined && value !== '')
    return navigate({ to: '.', search: () => Object.fromEntries(merged), replace: true, resetScroll: false })
  }
  return [search, change] as const
}
