/** A field for one of many people, whom the API finds by what is typed. */
import { Box, Loader, Select, Text } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { longestQuery } from './search.ts'
import { Failed } from './states.tsx'

interface Choice {
  /** An id. */
  readonly value: string
  readonly label: string
}

interface PersonSelectProps {
  readonly label: string
  readonly hint: string
  /** Says that nobody matches. */
  readonly nobody: string
  /** The field of the form. Its value is an id, or empty. */
  readonly field: GetInputPropsReturnType
  /** What was typed is appended. */
  readonly queryKey: readonly unknown[]
  /** Finds the first people who match, or the first of all. */
  readonly find: (query: { readonly query?: string }) => Promise<Choice[]>
  /** Whether it has the focus first in its dialog. */
  readonly isFirst?: boolean
}

export function PersonSelect({ label, hint, nobody, field, queryKey, find, isFirst = false }: PersonSelectProps) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<Choice>()
  // The name of the chosen person was not typed.
  const [query] = useDebouncedValue(typed === chosen?.label ? '' : typed.trim(), 250)
  const people = useQuery({
    queryKey: [...queryKey, query],
    queryFn: () => find(query === '' ? {} : { query }),
    placeholderData: (before) => before,
  })
  const found = people.data ?? []
  // The chosen person stays in the list during the next search.
  const data = chosen && !found.some(({ value }) => value === chosen.value) ? [chosen, ...found] : found
  const isNobody = query !== '' && found.length === 0 && people.isSuccess && !people.isFetching
  return (
    <div>
      <Select
        {...field}
        {...(isFirst && { 'data-autofocus': true })}
        label={label}
        description={hint}
        searchable
        maxLength={longestQuery}
        openOnFocus={false} // the list would cover the fault with which the field gets the focus
        data={data}
        filter={({ options }) => options}
        onSearchChange={setTyped}
        onChange={(value, option) => {
          field.onChange(value ?? '')
          setChosen(option ?? undefined)
        }}
        rightSection={people.isFetching ? <Loader size="xs" /> : undefined}
      />
      {/* Not in the list, which may hold only options. */}
      <Text size="sm" c="dimmed" mt={isNobody ? 4 : 0} aria-live="polite">
        {isNobody && nobody}
      </Text>
      {people.isError && (
        <Box mt="sm">
          <Failed error={people.error} retry={people.refetch} />
        </Box>
      )}
    </div>
  )
}

/** A person as a choice. The address tells people with the same name apart. */
export function choiceOf({ id, name, email }: { id: string; name: string | null; email: string }): Choice {
  return { value: id, label: name === null ? email : `${name} · ${email}` }
}
