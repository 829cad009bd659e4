/** The applications of a tenant, for its admins. */
import { Badge } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ButtonLink, TextLink } from '../parts/links.tsx'
import classes from '../parts/list.module.css'
import { Page } from '../parts/page.tsx'
import { Picture } from '../parts/picture.tsx'
import { Empty, LoadingOrFailed } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { type Application, applicationsQuery } from './application.ts'
import '../texts/administration.ts'

export function ApplicationsPage() {
  const { t } = useTranslation()
  const query = useQuery(applicationsQuery)
  const { data } = query
  const add = (
    <ButtonLink to="/admin/applications/new" leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}>
      {t('applications.add')}
    </ButtonLink>
  )
  return (
    <Page title={t('applications.title')} lead={t('applications.lead')} actions={data && data.data.length > 0 && add}>
      {data ? (
        data.data.length === 0 ? (
          <Empty title={t('applications.none')} action={add}>
            {t('applications.noneLead')}
          </Empty>
        ) : (
          <ul className={classes.framed} aria-label={t('applications.title')}>
            {data.data.map((application) => (
              <ApplicationItem key={application.id} application={application} />
            ))}
          </ul>
        )
      ) : (
        <LoadingOrFailed query={query} rows={3} />
      )}
    </Page>
  )
}

function ApplicationItem({ application }: { readonly application: Application }) {
  const { t } = useTranslation()
  const { id, name, kind, logoUrl, enabled, isHome, lastLogout } = application
  return (
    <li className={classes.item}>
      <Picture url={logoUrl} name={name} id={id} size={36} shape="square" />
      <div className={classes.words}>
        <p className={classes.what}>
          <TextLink to="/admin/applications/$appId" params={{ appId: id }} inherit>
            {name}
          </TextLink>{' '}
          {isHome && <Badge>{t('applications.home')}</Badge>}{' '}
          {!enabled && <Badge color="gray">{t('applications.disabled')}</Badge>}
        </p>
        <p className={classes.hint}>
          {t(`applications.kinds.${kind}.name`)}
          {lastLogout?.outcome === 'failed' && (
            <>
              {' · '}
              {t('applications.logout.failed')} <Time iso={lastLogout.at} />
            </>
          )}
        </p>
      </div>
    </li>
  )
}
