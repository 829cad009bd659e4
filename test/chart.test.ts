/** The Helm chart knows the settings. test/chart.deep.test.ts renders it. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { settings } from '../src/platform/settings/config.ts'
import { version } from '../src/platform/version.ts'

const chart = join(import.meta.dirname, '../deploy/helm/guildhall')
const read = (file: string) => readFileSync(join(chart, file), 'utf8')

/** Settings that the values do not have: secrets, and those that the image or the chart sets or that do not fit a cluster. */
const others = [
  ...['DATABASE_URL', 'SMTP_URL', 'GUILDHALL_SECRET', 'GUILDHALL_ADMIN_PASSWORD', 'MAILBOX_KEY'],
  'OTEL_EXPORTER_OTLP_HEADERS',
  ...['PORT', 'METRICS_PORT', 'METRICS_HOST', 'GUILDHALL_DATA', 'LIMITS'],
]

test('the values of the Helm chart are settings of the service, all but secrets and what the chart sets', () => {
  const { propertyNames, required, properties } = JSON.parse(read('values.schema.json')).properties.settings
  assert.deepEqual(
    propertyNames.enum,
    settings.filter((name) => !others.includes(name)),
  )
  for (const name of [...required, ...Object.keys(properties)]) assert.ok(propertyNames.enum.includes(name), name)
})

test('the Helm chart sets and names no variable that is no setting', () => {
  const files = ['values.yaml', ...readdirSync(join(chart, 'templates')).map((file) => `templates/${file}`)]
  const names = files.flatMap((file) => read(file).match(/\b[A-Z]+_[A-Z_]+\b/g) ?? [])
  assert.ok(names.length > 5)
  assert.deepEqual(
    names.filter((name) => !settings.some((setting) => setting === name)),
    [],
  )
})

test('the Helm chart installs the image of this version', () => {
  assert.match(read('Chart.yaml'), new RegExp(`^appVersion: ${version}$`, 'm'))
})
