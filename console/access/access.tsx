/** Admin → Access: the product's permissions and roles, edited as a whole. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Page } from '../parts/page.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { Editor } from './editor.tsx'
import { accessQuery } from './model.ts'
import '../texts/access.ts'

export function AccessPage() {
  const { t } = useTranslation()
  const { data, isPending, error, refetch } = useQuery(accessQuery)
  if (data) return <Editor model={data} />
  return (
    <Page title={t('access.title')} lead={t('access.lead')} width="wide">
      {isPending ? <Loading rows={6} /> : <Failed error={error} retry={refetch} />}
    </Page>
  )
}
