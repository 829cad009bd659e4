/** The filters of the page of people: in the address, those of both its parts. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { PeopleSearch } from './people-search.ts'

type Changes = { readonly [Name in keyof PeopleSearch]?: PeopleSearch[Name] | undefined }

/** The filters, and how to change some of them; undefined and the empty text remove one. */
export function usePeopleSearch() {
  const search: PeopleSearch = useSearch({ from: '/inside/organizations/$orgId/members' })
  const navigate = useNavigate({ from: '/organizations/$orgId/members' })
  const change = (changes: Changes) => {
    const merged = Object.entries({ ...search, ...changes }).filter(([, value]) => value !== undefined && value !== '')
    return navigate({ search: Object.fromEntries(merged), replace: true, resetScroll: false })
  }
  return [search, change] as const
}
