/** A field for one of many people, whom the API finds by what is typed. */
import { Loader, Select, type SelectProps } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Failed } from './states.tsx'

interface Choice {
  /** An id. */
  readonly value: string
  readonly label: string
}

interface PersonSelectProps extends Pick<SelectProps, 'label' | 'description' | 'nothingFoundMessage'> {
  /** The field of the form. Its value is an id, or empty. */
  readonly field: GetInputPropsReturnType
  /** What was typed is appended. */
  readonly queryKey: readonly unknown[]
  /** Finds the first people who match, or the first of all. */
  readonly find: (query: { readonly query?: string }) => Promise<Choice[]>
  /** Whether it has the focus first in its dialog. */
  readonly isFirst?: boolean
}

export function PersonSelect({ field, queryKey, find, isFirst = false, ...rest }: PersonSelectProps) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<Choice>()
  // The name of the chosen person was not typed.
  const [query] = useDebouncedValue(typed === chosen?.label ? '' : typed.trim(), 250)
  const people = useQuery({
    queryKey: [...queryKey, query],
    queryFn: () => find(query === '' ? {} : { query }),
    placeholderData: (before) => before,
  })
  if (people.isError) return <Failed error={people.error} retry={people.refetch} />
  const found = people.data ?? []
  // The chosen person stays in the list during the next search.
  const data = chosen && !found.some(({ value }) => value === chosen.value) ? [chosen, ...found] : found
  return (
    <Select
      {...field}
      {...rest}
      {...(isFirst && { 'data-autofocus': true })}
      searchable
      data={data}
      filter={({ options }) => options}
      onSearchChange={setTyped}
      onChange={(value, option) => {
        field.onChange(value ?? '')
        setChosen(option ?? undefined)
      }}
      rightSection={people.isFetching ? <Loader size="xs" /> : undefined}
    />
  )
}

/** A person as a choice. People of one name are told apart by their addresses. */
export function choiceOf({ id, name, email }: { id: string; name: string | null; email: string }): Choice {
  return { value: id, label: name === null ? email : `${name} · ${email}` }
}
