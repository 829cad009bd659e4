/** The brand: the tenant's name, logo and color, with a preview. The logo saves by itself. */
import { ColorInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { changesOf } from '../parts/edit-form.tsx'
import { PictureField } from '../parts/picture-field.tsx'
import { applyBrand } from '../theme/brand.ts'
import classes from './settings.module.css'
import { SettingsSection } from './settings-section.tsx'
import { removeLogo, saveSettings, type TenantSettings, uploadLogo } from './settings-tenant.ts'

const swatches = ['#b91c1c', '#c2410c', '#a16207', '#4d7c0f', '#0f766e', '#0369a1', '#4338ca', '#7e22ce', '#be185d']

const pick = ({ name, brand }: TenantSettings) => ({ name, color: brand.color ?? '' })

/** An empty field is null. */
function asSettings({ name, color }: ReturnType<typeof pick>) {
  return { name, color: color === '' ? null : color }
}

function save(before: TenantSettings, values: ReturnType<typeof pick>): Promise<TenantSettings> {
  const { name, ...brand } = changesOf(asSettings(pick(before)), asSettings(values))
  return saveSettings(before, { ...(name !== undefined && { name }), ...(Object.keys(brand).length > 0 && { brand }) })
}

export function BrandSettings({ settings }: { readonly settings: TenantSettings }) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: pick(settings) })
  return (
    <SettingsSection
      title={t('tenants.settings.brand')}
      lead={t('tenants.settings.brandLead')}
      form={form}
      settings={settings}
      save={(values, before) => save(before, values)}
      pick={pick}
    >
      <TextInput
        {...form.getInputProps('name')}
        label={t('tenants.settings.name')}
        description={t('tenants.settings.nameHint')}
        autoComplete="off"
      />
      <PictureField
        label={t('tenants.settings.logo')}
        hint={t('tenants.settings.logoHint')}
        url={settings.brand.logoUrl}
        name={settings.name}
        id={settings.id}
        shape="square"
        upload={uploadLogo}
        remove={removeLogo}
      />
      <ColorInput
        {...form.getInputProps('color')}
        label={t('tenants.settings.color')}
        description={t('tenants.settings.colorHint')}
        placeholder={t('tenants.settings.colorNone')}
        format="hex"
        withEyeDropper={false}
        fixOnBlur={false}
        swatches={swatches}
        swatchesPerRow={9}
      />
      <Preview color={form.values.color} />
    </SettingsSection>
  )
}

/** The preview: a button and a link in the color, light and dark. Hidden from screen readers. */
function Preview({ color }: { readonly color: string }) {
  const { t } = useTranslation()
  const place = useRef<HTMLDivElement>(null)
  const known = /^#[0-9a-f]{6}$/i.test(color) ? color : null
  useEffect(() => {
    if (place.current) applyBrand(known, place.current)
  }, [known])
  return (
    // Without a color the preview shows ours, even while the page still has the saved one.
    <div ref={place} className={classes.preview} data-ours={known === null} aria-hidden="true">
      {(['light', 'dark'] as const).map((scheme) => (
        <div key={scheme} className={classes.pane} data-scheme={scheme}>
          <span className={classes.scheme}>{t(`general.navigation.${scheme}`)}</span>
          <span className={classes.button}>{t('tenants.settings.previewButton')}</span>
          <span className={classes.link}>{t('tenants.settings.previewLink')}</span>
        </div>
      ))}
    </div>
  )
}
