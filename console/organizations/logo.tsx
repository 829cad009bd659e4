/** The field for the logo of an organization: one's own, or any for admins. */
import { Box } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api, ask, sentAs } from '../api/client.ts'
import { PictureField } from '../parts/picture-field.tsx'
import type { Organization } from './organization.ts'
import { placeOf, whereOf } from './place.ts'

interface LogoFieldProps {
  readonly organization: Organization
  readonly onChanged: (changed: Organization) => void
}

export function LogoField({ organization, onChanged }: LogoFieldProps) {
  const { t } = useTranslation()
  const { id, name, logoUrl } = organization
  const { base, path } = placeOf(whereOf(organization))
  return (
    <Box mb="lg">
      <PictureField
        label={t('organizations.settings.logo')}
        hint={t('organizations.settings.logoHint')}
        url={logoUrl}
        name={name}
        id={id}
        shape="square"
        upload={async (picture) =>
          onChanged(await ask(api.PUT(`${base}/logo`, { params: { path }, ...sentAs(picture) })))
        }
        remove={async () => onChanged(await ask(api.DELETE(`${base}/logo`, { params: { path } })))}
      />
    </Box>
  )
}
