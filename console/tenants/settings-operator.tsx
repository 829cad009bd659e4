/** The settings of the operator, which admins can only read. */
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Section } from '../parts/page.tsx'
import classes from './settings.module.css'
import type { TenantSettings } from './settings-tenant.ts'
import { useTenant } from './tenant.ts'

export function OperatorSettings({ settings }: { readonly settings: TenantSettings }) {
  const { t } = useTranslation()
  const { url, passkeyDomain } = useTenant().signIn
  const { slug, domains, mailFrom, baseUrl, allowedOrigins } = settings
  return (
    <Section title={t('tenants.settings.operator')} lead={t('tenants.settings.operatorLead')}>
      <dl className={classes.list}>
        <Fact name={t('tenants.settings.slug')} hint={t('tenants.settings.slugHint')}>
          {slug}
        </Fact>
        <Fact name={t('tenants.settings.hosts')} hint={t('tenants.settings.hostsHint')}>
          <Several values={domains} />
        </Fact>
        <Fact name={t('tenants.settings.signInUrl')} hint={t('tenants.settings.signInUrlHint')}>
          {url}
        </Fact>
        <Fact name={t('tenants.settings.passkeys')} hint={t('tenants.settings.passkeysHint')}>
          {passkeyDomain ?? t('tenants.settings.passkeysNone')}
        </Fact>
        <Fact name={t('tenants.settings.mailFrom')} hint={t('tenants.settings.mailFromHint')}>
          {mailFrom ?? t('tenants.settings.ofService')}
        </Fact>
        <Fact name={t('tenants.settings.baseUrl')} hint={t('tenants.settings.baseUrlHint')}>
          {baseUrl ?? t('tenants.settings.ofService')}
        </Fact>
        <Fact name={t('tenants.settings.origins')} hint={t('tenants.settings.originsHint')}>
          <Several values={allowedOrigins} />
        </Fact>
      </dl>
    </Section>
  )
}

function Several({ values }: { readonly values: readonly string[] }) {
  const { t } = useTranslation()
  if (values.length === 0) return t('tenants.settings.noneSet')
  return (
    <ul className={classes.several}>
      {values.map((value) => (
        <li key={value}>{value}</li>
      ))}
    </ul>
  )
}

interface FactProps {
  readonly name: string
  readonly hint: string
  readonly children: ReactNode
}

function Fact({ name, hint, children }: FactProps) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>
        {children}
        <span className={classes.hint}>{hint}</span>
      </dd>
    </div>
  )
}
