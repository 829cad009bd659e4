/** The Helm chart, rendered by Helm. Its settings are read by the service. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../src/platform/settings/config.ts'
import { usageOf } from '../src/process/usage.ts'
import { readDocument } from './documents.ts'
import { checkObjects, type Helm, missingHelm, openHelm, parseValues, render } from './helm.ts'
import { root } from './processes.ts'
import type { Json } from './world.ts'

const missing = missingHelm()
if (missing && process.env.CI === 'true') throw new Error(missing)
const opened: Promise<Helm> | undefined = missing ? undefined : openHelm()

const settings = { PUBLIC_URL: 'https://accounts.example.com', MAIL_FROM: 'Guildhall <no-reply@example.com>' }
/** The keys of the secret. */
const secret = {
  DATABASE_URL: 'postgresql://guildhall:change-me@postgres:5432/guildhall',
  GUILDHALL_SECRET: 'a secret that is only used in tests',
  SMTP_URL: 'smtps://user:change-me@mail.example.com',
}
const podAddress = 'fd00:10:244::5'
const everything = {
  image: { repository: 'registry.example.com/guildhall', tag: '1.2.3', pullSecrets: ['registry'] },
  settings: {
    ...settings,
    HOST: '::',
    TRUST_PROXY: '10.0.0.0/8',
    SHUTDOWN_DELAY: '20',
    WORKERS: '2',
    MAX_ORGANIZATIONS: '100000',
  },
  secret: 'settings-of-guildhall',
  files: 'files-of-guildhall',
  metrics: true,
  ingress: {
    enabled: true,
    className: 'nginx',
    annotations: { 'nginx.ingress.kubernetes.io/proxy-body-size': '5m' },
    hosts: ['accounts.customer.example', 'accounts.example.com'],
    tlsSecret: 'certificate',
  },
  networkPolicy: {
    enabled: true,
    from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }],
    metricsFrom: [{ podSelector: { matchLabels: { app: 'prometheus' } } }],
  },
  podAnnotations: { 'example.com/team': 'accounts' },
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'accounts', operator: 'Exists' }],
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
}
const named: Readonly<Record<string, object>> = {
  'only what is required': { settings },
  everything,
  'an ingress by its defaults': { settings, ingress: { enabled: true } },
  'no job, and a network without peers': { settings, migrate: false, metrics: true, networkPolicy: { enabled: true } },
}
const kinds: Readonly<Record<string, readonly string[]>> = {
  'only what is required': ['Deployment', 'Job', 'PodDisruptionBudget', 'Service'],
  everything: ['Deployment', 'Ingress', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service'],
  'an ingress by its defaults': ['Deployment', 'Ingress', 'Job', 'PodDisruptionBudget', 'Service'],
  'no job, and a network without peers': ['Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service'],
}

for (const [name, values] of Object.entries(named)) {
  test(`the chart with ${name} is what Kubernetes accepts and the service reads`, { skip: missing }, async () => {
    const helm = (await opened) as Helm // it is not skipped
    const lint = helm(['lint', '--strict'], values)
    assert.equal(lint.status, 0, lint.stdout)
    const objects = await render(helm, values)
    assert.deepEqual(objects.map(({ kind }) => kind).sort(), kinds[name])
    await checkObjects(objects)
    for (const { kind, spec } of objects.filter((each) => each.spec.template)) checkPod(kind, spec.template)
  })
}

test('the ingress has the host of PUBLIC_URL once, and those of the values', { skip: missing }, async () => {
  const helm = (await opened) as Helm // it is not skipped
  const [own, other] = ['accounts.example.com', 'accounts.customer.example']
  for (const [hosts, expected] of [
    [null, [own]],
    [[], [own]],
    [[other], [own, other]],
    [
      [other, own],
      [own, other],
    ],
  ]) {
    const ingress = { enabled: true, hosts, tlsSecret: 'certificate' }
    const withCapitals = { ...settings, PUBLIC_URL: 'https://Accounts.Example.com' }
    const { spec } = (await render(helm, { settings: withCapitals, ingress })).find(
      ({ kind }) => kind === 'Ingress',
    ) as Json
    assert.deepEqual(
      spec.rules.map(({ host }: Json) => host),
      expected,
    )
    assert.deepEqual(spec.tls[0].hosts, expected)
  }
})

test('a failover of half a minute takes no pod out of the service', { skip: missing }, async () => {
  const helm = (await opened) as Helm // it is not skipped
  const { spec } = (await render(helm, { settings })).find(({ kind }) => kind === 'Deployment') as Json
  const { periodSeconds, failureThreshold } = spec.template.spec.containers[0].readinessProbe
  assert.ok(periodSeconds * failureThreshold > 30)
})

test('the job of the documents that imports is what Kubernetes accepts and the service reads', {
  skip: missing,
}, async () => {
  await opened
  const shown = readDocument('docs/operate/kubernetes.md').blocks.find(({ text }) => text.includes('kind: Job'))
  const job = (await parseValues(shown?.text ?? '')) as Json
  await checkObjects([job])
  const [{ args, env }] = job.spec.template.spec.containers
  readConfig({ HOST: '0.0.0.0', PORT: '3000', ...secret, ...valuesOf(env) })
  const known = usageOf(args[0])
  assert.match(known, /^ +guildhall import/m)
  for (const option of args.filter((each: string) => each.startsWith('-'))) assert.ok(known.includes(option), option)
})

test('the chart with the values of the documents is what Kubernetes accepts', { skip: missing }, async () => {
  const helm = (await opened) as Helm // it is not skipped
  const shown = readDocument('docs/operate/kubernetes.md').blocks.find(({ language }) => language === 'yaml')
  const values = await parseValues(shown?.text ?? '')
  const objects = await render(helm, values)
  assert.deepEqual(objects.map(({ kind }) => kind).sort(), kinds.everything)
  await checkObjects(objects)
  for (const { kind, spec } of objects.filter((each) => each.spec.template)) checkPod(kind, spec.template)
})

function checkPod(kind: string, { spec }: Json): void {
  const [container] = spec.containers
  const fixed = { HOST: '0.0.0.0', PORT: '3000' } // as in the image
  const config = readConfig({ ...fixed, ...secret, ...valuesOf(container.env) })
  if (config.metrics) assert.equal(config.metrics.host, podAddress)
  assert.ok(spec.securityContext.runAsNonRoot)
  assert.ok(container.securityContext.readOnlyRootFilesystem)
  if (kind === 'Job') {
    assert.deepEqual([container.args, container.ports], [['migrate'], undefined])
    return
  }
  assert.equal(spec.terminationGracePeriodSeconds, config.shutdownDelay + 30)
  const ports = Object.fromEntries(container.ports.map((port: Json) => [port.name, port.containerPort]))
  assert.deepEqual(ports, { http: config.port, ...(config.metrics && { metrics: config.metrics.port }) })
  const { paths } = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
    const { path, port, host } = container[probe].httpGet
    assert.ok(paths[path]?.get, path)
    assert.deepEqual([port, host], ['http', undefined])
  }
}

function valuesOf(env: Json[]): Record<string, string> {
  return Object.fromEntries(
    env.map(({ name, value, valueFrom }) => {
      if (!valueFrom) return [name, value]
      assert.deepEqual(valueFrom, { fieldRef: { fieldPath: 'status.podIP' } })
      return [name, podAddress]
    }),
  )
}

test('Helm refuses unknown settings, secrets among the values, and a chart without an origin', {
  skip: missing,
}, async () => {
  const helm = (await opened) as Helm // it is not skipped
  const refused = {
    LIMIT_SIGNUP: { settings: { ...settings, LIMIT_SIGNUP: '1/60' } },
    DATABASE_URL: { settings: { ...settings, DATABASE_URL: secret.DATABASE_URL } },
    PUBLIC_URL: { settings: { MAIL_FROM: settings.MAIL_FROM } },
    replica: { settings, replica: 3 },
  }
  for (const [name, values] of Object.entries(refused)) {
    const { status, stderr } = helm(['template', 'accounts'], values)
    assert.equal(status, 1)
    assert.match(stderr, new RegExp(`'${name}'`))
  }
})
