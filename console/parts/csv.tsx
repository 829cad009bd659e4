/** Downloads the list of a page as CSV, with its filters. The service makes the file. */
import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { isRefusal, Refusal } from '../api/refusal.ts'

interface File {
  readonly data?: Blob
  readonly error?: unknown
  readonly response: Response
}

export interface CsvButtonProps {
  /** Asks for the list with `asCsv`. */
  readonly read: () => Promise<File>
}

export function CsvButton({ read }: CsvButtonProps) {
  const { t } = useTranslation()
  const download = useMutation({ mutationFn: () => save(read()) })
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} stroke={1.6} aria-hidden />}
      loading={download.isPending}
      onClick={() => download.mutate()}
    >
      {t('general.csv')}
    </Button>
  )
}

/** @throws Refusal interrupted if the file is not whole */
async function save(reading: Promise<File>): Promise<void> {
  const { data, error, response } = await reading.catch((fault: unknown) => {
    throw isRefusal(fault) ? fault : Refusal.interrupted()
  })
  if (!response.ok || data === undefined) throw Refusal.from(error, response)
  const [, name = 'list.csv'] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
  const link = document.createElement('a')
  link.href = URL.createObjectURL(data)
  link.download = name
  link.click()
  // The browser has the file by then: it reads the address when the link is clicked.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
