/** The search field of a list. It searches when the user stops typing or leaves the field, and follows the address. */
import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { longestQuery } from './search.ts'

interface SearchFieldProps {
  /** The query in the address. */
  readonly value: string
  readonly onSearch: (query: string) => void
  readonly label: string
  readonly className?: string | undefined
}

export function SearchField({ value, onSearch, label, className }: SearchFieldProps) {
  const { t } = useTranslation()
  const [text, setText] = useState(value)
  const sent = useRef(value)
  const send = (query: string) => {
    sent.current = query
    onSearch(query)
  }
  const sendLater = useDebouncedCallback(send, 250)
  const type = (next: string) => {
    setText(next)
    sendLater(next.trim())
  }
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setText(value)
  }, [value])
  return (
    <TextInput
      type="search"
      className={className}
      aria-label={label}
      placeholder={label}
      maxLength={longestQuery}
      value={text}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      // Later it would lead somebody back who has followed a link meanwhile.
      onBlur={() => sendLater.flush()}
      leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
      rightSection={
        text !== '' && <CloseButton size="sm" aria-label={t('general.clearSearch')} onClick={() => type('')} />
      }
    />
  )
}
