/** An event in a list: its type, what it is about, and its time; opened, its place and its JSON. */
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../parts/copy-text.tsx'
import { Copyable } from '../parts/copyable.tsx'
import { NameInParts } from '../parts/name-in-parts.tsx'
import { Time } from '../parts/time.tsx'
import { OrganizationName, useOrganizationName } from '../tenants/log-organization.tsx'
import classes from './events.module.css'
import type { Event } from './feed.ts'
import { subjectOf } from './subject.ts'

export function EventItem({ event }: { readonly event: Event }) {
  const { t } = useTranslation()
  const { type, organizationId, sequence, timestamp } = event
  const subject = subjectOf(event)
  const about = (subject !== null || organizationId !== null) && (
    <span className={classes.about}>
      {subject !== null && (
        <bdi>
          <NameInParts name={subject} />
        </bdi>
      )}
      {subject !== null && organizationId !== null && ' · '}
      {organizationId !== null && <NameOf organizationId={organizationId} />}
    </span>
  )
  const json = JSON.stringify(event, undefined, 2)
  const shown = useRef<HTMLPreElement>(null)
  return (
    <li>
      <details className={classes.event}>
        <summary>
          <span className={classes.row}>
            <span className={classes.type}>{type}</span>
            {about}
            <span className={classes.time}>
              <Time iso={timestamp} isListed />
            </span>
          </span>
        </summary>
        <div className={classes.opened}>
          <dl className={classes.facts}>
            <div>
              <dt>{t('webhooks.events.place')}</dt>
              <dd>
                <Copyable value={String(sequence)} name={t('webhooks.events.placeNamed')} />
              </dd>
            </div>
            {organizationId !== null && (
              <div>
                <dt>{t('webhooks.events.organization')}</dt>
                <dd>
                  <OrganizationName id={organizationId} />
                </dd>
              </div>
            )}
          </dl>
          <pre ref={shown} className={classes.json}>
            {json}
          </pre>
          <CopyText text={json} label={t('general.copyNamed', { name: t('webhooks.events.json') })} shown={shown} />
        </div>
      </details>
    </li>
  )
}

/** Not a link: it is in the button that opens the event. */
function NameOf({ organizationId }: { readonly organizationId: string }) {
  return <bdi>{useOrganizationName(organizationId).name}</bdi>
}
