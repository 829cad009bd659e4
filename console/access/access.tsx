/** Admin → Access: the product's permissions and roles, edited as a whole. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Page } from '../parts/page.tsx'
import { LoadingOrFailed } from '../parts/states.tsx'
import { Editor } from './editor.tsx'
import { accessQuery } from './model.ts'
import '../texts/access.ts'

export function AccessPage() {
  const { t } = useTranslation()
  const query = useQuery(accessQuery)
  if (query.data) return <Editor model={query.data} />
  return (
    <Page title={t('access.title')} lead={t('access.lead')} width="wide">
      <LoadingOrFailed query={query} rows={6} />
    </Page>
  )
}
