import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import fc from 'fast-check'
import { ConfigError, readConfig, settings } from './config.ts'
import { isLoopback } from './hosts.ts'

type Environment = Readonly<Record<string, string>>

const secret = 's'.repeat(32)
const smtp = { SMTP_URL: 'smtps://user:password@mail.example.com', MAIL_FROM: 'Acme <no-reply@example.com>' }
const database = 'postgresql://guildhall:password@db.example.com:5432/guildhall'

test('the service runs without any settings, for this machine only', () => {
  const config = readConfig({})
  assert.deepEqual(
    [config.host, config.port, config.publicUrl, config.dataFolder],
    ['127.0.0.1', 3000, 'http://localhost:3000', '.guildhall'],
  )
  assert.deepEqual([config.smtpUrl, config.databaseUrl, config.admin], [undefined, undefined, undefined])
  assert.ok(Object.isFrozen(config))
})

test('an empty setting counts as unset, and blanks around a value are ignored', () => {
  assert.deepEqual(readConfig(Object.fromEntries(settings.map((name) => [name, '']))), readConfig({}))
  assert.deepEqual(readConfig({ PORT: ' 4000 ', HOST: ' ::1\t' }), readConfig({ PORT: '4000', HOST: '::1' }))
})

test('every setting is read as documented', () => {
  const config = readConfig({
    ...smtp,
    HOST: '0.0.0.0',
    PORT: '80',
    WORKERS: '2',
    GUILDHALL_DATA: '/data',
    DATABASE_URL: database,
    PUBLIC_URL: 'https://accounts.example.com/',
    MAILBOX_KEY: 'sixteen letters!',
    GUILDHALL_SECRET: `${secret}, ${'t'.repeat(40)}`,
    GUILDHALL_ADMIN_EMAIL: 'ann@example.com',
    GUILDHALL_ADMIN_PASSWORD: ' a passphrase with blanks around ',
    TRUST_PROXY: '10.0.0.0/8, 192.0.2.7 ,2001:db8::/32',
    OUTBOUND_PRIVATE: 'login.internal, 10.1.0.0/16, ::1',
    WEBHOOK_CONCURRENCY: '32',
    SHUTDOWN_DELAY: '3',
    DATABASE_POOLER: 'transaction',
    LOG_LEVEL: 'debug',
    METRICS_PORT: '9464',
    METRICS_HOST: '10.0.0.1',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com/otlp/',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20key, other = value',
    OTEL_SERVICE_NAME: 'accounts',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=another,deployment.environment.name=staging',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    MAX_ORGANIZATIONS: '1',
    MAX_PENDING_INVITES: '2',
    MAX_SESSIONS: '3',
    LIMIT_SIGN_IN_NETWORK: '4/60',
    LIMIT_SIGN_UP: '5/60',
    LIMIT_ANONYMOUS: '6/60',
    LIMIT_REQUESTS: '7/60',
    LIMIT_KEY: '8/60',
    LIMIT_TENANT_KEY: '9/60',
    LIMIT_APPLICATION: '10/60',
    LIMIT_MAIL: '1/60',
    LIMIT_MAIL_NETWORK: '2/60',
    LIMIT_INVITES: '3/60',
    LIMIT_JOINS: '4/60',
    LIMITS: 'on',
  })
  assert.deepEqual(config, {
    host: '0.0.0.0',
    port: 80,
    workers: 2,
    dataFolder: '/data',
    databaseUrl: database,
    isPooled: true,
    publicUrl: 'https://accounts.example.com',
    smtpUrl: smtp.SMTP_URL,
    mailFrom: smtp.MAIL_FROM,
    mailboxKey: 'sixteen letters!',
    secrets: [secret, 't'.repeat(40)],
    admin: { email: 'ann@example.com', password: ' a passphrase with blanks around ' },
    trustProxy: ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'],
    outboundPrivate: ['login.internal', '10.1.0.0/16', '::1'],
    webhookConcurrency: 32,
    shutdownDelay: 3,
    logLevel: 'debug',
    metrics: { host: '10.0.0.1', port: 9464 },
    traces: {
      url: 'https://collector.example.com/otlp/v1/traces',
      protocol: 'http/json',
      headers: { 'api-key': 'a key', other: 'value' },
      resource: { 'service.name': 'accounts', 'deployment.environment.name': 'staging' },
      sampler: 'traceidratio',
      ratio: 0.25,
    },
    maxOrganizations: 1,
    maxPendingInvites: 2,
    maxSessions: 3,
    limitSignInNetwork: { count: 4, seconds: 60 },
    limitSignUp: { count: 5, seconds: 60 },
    limitAnonymous: { count: 6, seconds: 60 },
    limitRequests: { count: 7, seconds: 60 },
    limitKey: { count: 8, seconds: 60 },
    limitTenantKey: { count: 9, seconds: 60 },
    limitApplication: { count: 10, seconds: 60 },
    limitMail: { count: 1, seconds: 60 },
    limitMailNetwork: { count: 2, seconds: 60 },
    limitInvites: { count: 3, seconds: 60 },
    limitJoins: { count: 4, seconds: 60 },
    limitsOff: false,
  })
})

test('the service’s own origin follows from HOST and PORT', () => {
  assert.equal(readConfig({ HOST: '::1', PORT: '8080' }).publicUrl, 'http://[::1]:8080')
  assert.equal(readConfig({ PORT: '80' }).publicUrl, 'http://localhost')
  for (const HOST of ['localhost', '127.0.0.1']) assert.equal(readConfig({ HOST }).publicUrl, 'http://localhost:3000')
  assert.equal(readConfig({ HOST: '127.0.0.2' }).publicUrl, 'http://127.0.0.2:3000')
})

test('WORKERS=auto starts one serving process for each core, and 16 at most', () => {
  assert.equal(readConfig({}).workers, 1)
  assert.equal(readConfig({ WORKERS: 'auto' }).workers, Math.min(16, availableParallelism()))
})

test("traces go to the endpoint in OpenTelemetry's variables; without one, or if switched off, none are sent", () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  assert.deepEqual(readConfig(endpoint).traces, {
    url: 'http://127.0.0.1:4318/v1/traces',
    protocol: 'http/protobuf',
    headers: {},
    resource: { 'service.name': 'guildhall' },
    sampler: 'parentbased_always_on',
    ratio: 1,
  })
  const own = 'http://127.0.0.1:4319/traces'
  assert.equal(readConfig({ ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own }).traces?.url, own)
  for (const off of [
    { OTEL_SERVICE_NAME: 'a' },
    { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
    { ...endpoint, OTEL_SDK_DISABLED: 'true' },
  ])
    assert.equal(readConfig(off as Environment).traces, undefined)
})

const wrong: readonly (readonly [what: string, environment: Environment, faults: readonly RegExp[]])[] = [
  ['a port out of range', { PORT: '65536' }, [/^PORT must be a whole number from 1 to 65535\.$/]],
  ['a port of zero', { PORT: '0' }, [/^PORT /]],
  ['a port that is no number', { PORT: '3000x' }, [/^PORT /]],
  ['a port in another notation', { PORT: '0x10' }, [/^PORT /]],
  ['no process at all', { WORKERS: '0' }, [/^WORKERS must be auto, or a whole number from 1 to 16\.$/]],
  ['too many processes', { WORKERS: '17' }, [/^WORKERS /]],
  ['a limit below one', { MAX_SESSIONS: '0' }, [/^MAX_SESSIONS /]],
  ['a limit with a fraction', { MAX_ORGANIZATIONS: '1.5' }, [/^MAX_ORGANIZATIONS /]],
  ['a limit below zero', { MAX_PENDING_INVITES: '-1' }, [/^MAX_PENDING_INVITES /]],
  [
    'a host name',
    { ...smtp, HOST: 'db.example.com', PUBLIC_URL: 'https://a.example' },
    [/^HOST must be an IP address/],
  ],
  ['every address without saying which', { ...smtp, HOST: '0.0.0.0' }, [/^PUBLIC_URL is needed/]],
  ['every address of IPv6 without saying which', { ...smtp, HOST: '::' }, [/^PUBLIC_URL is needed/]],
  ['a public URL with a path', { PUBLIC_URL: 'http://localhost:3000/app' }, [/^PUBLIC_URL must be an origin/]],
  ['a public URL with a query', { PUBLIC_URL: 'http://localhost:3000/?a' }, [/^PUBLIC_URL must be an origin/]],
  ['a public URL with a user', { PUBLIC_URL: 'http://ann@localhost:3000' }, [/^PUBLIC_URL must be an origin/]],
  ['a public URL of another kind', { PUBLIC_URL: 'ftp://localhost' }, [/^PUBLIC_URL must be a URL like https:/]],
  ['a public URL that is none', { PUBLIC_URL: 'localhost:3000' }, [/^PUBLIC_URL must be a URL like https:/]],
  ['a database of another kind', { DATABASE_URL: 'mysql://a:b@c/d' }, [/^DATABASE_URL must be a URL like postgresql:/]],
  ['a database without a secret', { DATABASE_URL: database }, [/^GUILDHALL_SECRET is needed with DATABASE_URL/]],
  ['a short secret', { GUILDHALL_SECRET: 's'.repeat(31) }, [/^GUILDHALL_SECRET must list secrets of at least 32/]],
  ['a short secret behind a long one', { GUILDHALL_SECRET: `${secret},short` }, [/^GUILDHALL_SECRET must list/]],
  [
    'a short secret for a database',
    { DATABASE_URL: database, GUILDHALL_SECRET: 'short' },
    [/^GUILDHALL_SECRET must list/],
  ],
  [
    'the name of a connection in the URL of the database',
    { DATABASE_URL: `${database}?sslmode=verify-full&application_name=accounts`, GUILDHALL_SECRET: secret },
    [/^DATABASE_URL must not have the parameter application_name\.$/],
  ],
  [
    'settings of a session in the URL of the database',
    { DATABASE_URL: `${database}?options=-c%20work_mem%3D8MB`, GUILDHALL_SECRET: secret },
    [/^DATABASE_URL must not have the parameter options\. Set .* on the role \(alter role … set …\)\.$/],
  ],
  [
    'other timeouts in the URL of the database',
    { DATABASE_URL: `${database}?statement_timeout=0&client_encoding=LATIN1&lock_timeout=1`, GUILDHALL_SECRET: secret },
    [/^DATABASE_URL must not have the parameters client_encoding, statement_timeout, lock_timeout\.$/],
  ],
  [
    'an admin without a password',
    { GUILDHALL_ADMIN_EMAIL: 'a@example.com' },
    [/^GUILDHALL_ADMIN_EMAIL needs GUILDHALL_ADMIN_PASSWORD/],
  ],
  [
    'an admin who has no address',
    { GUILDHALL_ADMIN_EMAIL: 'root', GUILDHALL_ADMIN_PASSWORD: 'a good passphrase' },
    [/^GUILDHALL_ADMIN_EMAIL must be an email address\.$/],
  ],
  ['a short password', { GUILDHALL_ADMIN_PASSWORD: '7 chars' }, [/^GUILDHALL_ADMIN_PASSWORD must have 8 to 256/]],
  ['an endless password', { GUILDHALL_ADMIN_PASSWORD: 'x'.repeat(257) }, [/^GUILDHALL_ADMIN_PASSWORD must have 8/]],
  ['a mail server without a sender', { SMTP_URL: smtp.SMTP_URL }, [/^MAIL_FROM is needed with SMTP_URL/]],
  ['a mail server of another kind', { SMTP_URL: 'https://mail.example.com' }, [/^SMTP_URL must be a URL like smtps:/]],
  ['a mail server without a host', { SMTP_URL: 'smtp://' }, [/^SMTP_URL must be a URL like smtps:/]],
  ['a sender that is no address', { MAIL_FROM: 'Acme' }, [/^MAIL_FROM must be an address/]],
  ['a sender with a line break', { ...smtp, MAIL_FROM: 'A\r\nBcc: b@c.d <a@b.c>' }, [/^MAIL_FROM must be an address/]],
  ['two senders', { ...smtp, MAIL_FROM: 'a@example.com, b@example.com' }, [/^MAIL_FROM must be an address/]],
  ['a sender without brackets', { ...smtp, MAIL_FROM: 'Support:a@example.com' }, [/^MAIL_FROM must be an address/]],
  ['a sender with a comma', { ...smtp, MAIL_FROM: 'Shop <shop,a@example.com>' }, [/^MAIL_FROM must be an address/]],
  ['a short mailbox key', { MAILBOX_KEY: 'fifteen letters' }, [/^MAILBOX_KEY must have at least 16/]],
  ['a pooler of another kind', { DATABASE_POOLER: 'session' }, [/^DATABASE_POOLER must be none or transaction\.$/]],
  ['a pooler of the embedded database', { DATABASE_POOLER: 'transaction' }, [/^DATABASE_POOLER needs DATABASE_URL\.$/]],
  [
    'more webhooks at once than a process serves',
    { WEBHOOK_CONCURRENCY: '129' },
    [/^WEBHOOK_CONCURRENCY must be a whole number from 1 to 128\.$/],
  ],
  ['a shutdown that never comes', { SHUTDOWN_DELAY: '61' }, [/^SHUTDOWN_DELAY must be a whole number from 0 to 60\.$/]],
  [
    'a period that no timer can wait for',
    { LIMIT_KEY: '10/2592000' },
    [/^LIMIT_KEY must be <count>\/<seconds>, such as 1200\/60, with at most 2000000 seconds\.$/],
  ],
  ['a log level of another kind', { LOG_LEVEL: 'loud' }, [/^LOG_LEVEL must be one of fatal, error/]],
  [
    'a proxy that is no address',
    { ...smtp, TRUST_PROXY: 'true' },
    [/^TRUST_PROXY must list addresses .* "true" is neither/],
  ],
  ['a proxy by name', { ...smtp, TRUST_PROXY: 'loopback' }, [/^TRUST_PROXY must list addresses/]],
  ['a proxy in short', { ...smtp, TRUST_PROXY: '10.1' }, [/^TRUST_PROXY must list addresses .* "10\.1" is neither/]],
  ['a network in short', { ...smtp, TRUST_PROXY: '10.1.2/24' }, [/^TRUST_PROXY must list addresses/]],
  ['a proxy in octal', { ...smtp, TRUST_PROXY: '010.0.0.1' }, [/^TRUST_PROXY must list addresses/]],
  ['trust in everybody', { ...smtp, TRUST_PROXY: '0.0.0.0/0' }, [/^TRUST_PROXY must not trust every address/]],
  ['trust in everybody, otherwise', { ...smtp, TRUST_PROXY: '10.0.0.1,0.0.0.0/00' }, [/^TRUST_PROXY must/]],
  ['trust in every IPv4 address', { ...smtp, TRUST_PROXY: '::ffff:0:0/96' }, [/^TRUST_PROXY must not trust every/]],
  ['every IPv4 address to call', { OUTBOUND_PRIVATE: '::ffff:0.0.0.0/96' }, [/^OUTBOUND_PRIVATE must not allow every/]],
  ['a URL to call', { OUTBOUND_PRIVATE: 'http://login.internal' }, [/^OUTBOUND_PRIVATE must list hosts/]],
  ['an address to call, in short', { OUTBOUND_PRIVATE: '10.1' }, [/^OUTBOUND_PRIVATE must .* "10\.1" is none/]],
  ['an address to call, in hexadecimal', { OUTBOUND_PRIVATE: '0x7f000001' }, [/^OUTBOUND_PRIVATE must list hosts/]],
  ['every address to call', { OUTBOUND_PRIVATE: '::/0' }, [/^OUTBOUND_PRIVATE must not allow every address/]],
  ['trust in everybody with IPv6', { ...smtp, TRUST_PROXY: '::/0' }, [/^TRUST_PROXY must not trust every address/]],
  ['a mailbox on every address', { HOST: '0.0.0.0', PUBLIC_URL: 'http://localhost:3000' }, [/^SMTP_URL is needed/]],
  ['a mailbox on the network', { HOST: '192.0.2.1' }, [/^SMTP_URL is needed/]],
  ['a mailbox under a public URL', { PUBLIC_URL: 'https://accounts.example.com' }, [/^SMTP_URL is needed/]],
  ['a mailbox under a name like loopback', { PUBLIC_URL: 'http://127.0.0.1.example.com' }, [/^SMTP_URL is needed/]],
  ['metrics for everybody', { METRICS_PORT: '3000' }, [/^METRICS_PORT must differ from PORT/]],
  ['metrics on a host by name', { METRICS_HOST: 'db.example.com' }, [/^METRICS_HOST must be an IP address/]],
  [
    'a collector that is no URL',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    [/^OTEL_EXPORTER_OTLP_ENDPOINT must/],
  ],
  [
    'traces through gRPC',
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    [/^OTEL_EXPORTER_OTLP_PROTOCOL must be one of http/],
  ],
  [
    'a broken header of traces',
    { OTEL_EXPORTER_OTLP_HEADERS: 'key=%zz' },
    [/^OTEL_EXPORTER_OTLP_HEADERS must be a list/],
  ],
  ['more than all traces', { OTEL_TRACES_SAMPLER_ARG: '1.5' }, [/^OTEL_TRACES_SAMPLER_ARG must be a number/]],
  ['a mailbox behind a proxy', { TRUST_PROXY: '127.0.0.1' }, [/^SMTP_URL is needed/]],
]
for (const [what, environment, expected] of wrong) {
  test(`${what} is refused`, () => {
    const faults = faultsOf(environment)
    assert.equal(faults.length, expected.length, faults.join('\n'))
    for (const [index, pattern] of expected.entries()) assert.match(faults[index] ?? '', pattern)
  })
}

test('all faults in the settings are reported at once', () => {
  const faults = faultsOf({
    HOST: 'nowhere',
    PORT: 'x',
    WORKERS: 'x',
    DATABASE_URL: 'x',
    PUBLIC_URL: 'x',
    SMTP_URL: 'x',
    MAIL_FROM: 'x',
    MAILBOX_KEY: 'x',
    GUILDHALL_SECRET: 'x',
    GUILDHALL_ADMIN_EMAIL: 'x',
    TRUST_PROXY: 'x',
    OUTBOUND_PRIVATE: 'http://x',
    WEBHOOK_CONCURRENCY: 'x',
    SHUTDOWN_DELAY: 'x',
    DATABASE_POOLER: 'x',
    LOG_LEVEL: 'x',
    METRICS_PORT: 'x',
    METRICS_HOST: 'x',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'x',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'x',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'x',
    OTEL_EXPORTER_OTLP_HEADERS: 'x',
    OTEL_RESOURCE_ATTRIBUTES: 'x',
    OTEL_TRACES_SAMPLER: 'x',
    OTEL_TRACES_SAMPLER_ARG: 'x',
    OTEL_TRACES_EXPORTER: 'x',
    OTEL_SDK_DISABLED: 'x',
    MAX_ORGANIZATIONS: 'x',
    MAX_PENDING_INVITES: 'x',
    MAX_SESSIONS: 'x',
    LIMIT_SIGN_IN_NETWORK: 'x',
    LIMIT_SIGN_UP: 'x',
    LIMIT_ANONYMOUS: 'x',
    LIMIT_REQUESTS: 'x',
    LIMIT_KEY: '60',
    LIMIT_TENANT_KEY: 'x',
    LIMIT_APPLICATION: 'x',
    LIMIT_MAIL: '5',
    LIMIT_MAIL_NETWORK: '0/60',
    LIMIT_INVITES: '5/60s',
    LIMIT_JOINS: 'x',
    LIMITS: 'x',
  })
  const free = ['GUILDHALL_DATA', 'GUILDHALL_ADMIN_PASSWORD', 'OTEL_SERVICE_NAME']
  for (const name of settings.filter((each) => !free.includes(each))) {
    assert.ok(
      faults.some((fault) => fault.startsWith(name)),
      `${name} is not named in:\n${faults.join('\n')}`,
    )
  }
})

test('a message about settings contains no secret', () => {
  const hidden = 'hunter2hunter2'
  const faults = faultsOf({
    DATABASE_URL: `mysql://user:${hidden}@host/database`,
    SMTP_URL: `https://user:${hidden}@host`,
    PUBLIC_URL: `https://user:${hidden}@host`,
    MAILBOX_KEY: hidden,
    GUILDHALL_SECRET: hidden,
    GUILDHALL_ADMIN_PASSWORD: hidden,
    OTEL_EXPORTER_OTLP_HEADERS: hidden,
  })
  assert.ok(faults.length >= 7)
  assert.ok(!faults.join('\n').includes(hidden))
})

test('any environment is either read or refused with sentences', () => {
  const environment = fc.dictionary(fc.constantFrom(...settings), fc.string({ unit: 'binary' }))
  fc.assert(
    fc.property(environment, (each) => {
      try {
        readConfig(each)
      } catch (error) {
        assert.ok(error instanceof ConfigError, String(error))
      }
    }),
  )
})

test('an address counts as loopback only if no other machine can reach it', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', 'localhost', 'LOCALHOST', '::1', '[::1]'])
    assert.ok(isLoopback(host), host)
  for (const host of [
    '',
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '127.0.0.1.example.com',
    'localhost.example.com',
    '127.1',
    '1.127.0.0',
  ]) {
    assert.ok(!isLoopback(host), host)
  }
})

test('.env.example explains every setting with its default, and has no unknown one', () => {
  const lines = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8').split('\n')
  const shown = lines.flatMap((line, index) => {
    const name = /^#([A-Z_]+)=/.exec(line)?.[1]
    if (name === undefined) return []
    assert.match(lines[index - 1] ?? '', /^# .+\.$/, `${name} has a comment above it`)
    return name
  })
  assert.deepEqual(shown, [...settings])
  for (const line of lines) assert.match(line, /^$|^#/, 'nothing in it is in force')

  const uncommented = parseEnv(lines.map((line) => line.replace(/^#(?=[A-Z_]+=)/, '')).join('\n'))
  assert.deepEqual(Object.keys(uncommented).sort(), [...settings].sort())
  assert.deepEqual(readConfig(uncommented as Environment), readConfig({})) // parseEnv gives strings
})

test('docs/operate/settings.md lists every setting, and no unknown one', () => {
  const text = readFileSync(new URL('../../../docs/operate/settings.md', import.meta.url), 'utf8')
  const rows = text.split('\n').filter((line) => /^\| `[A-Z]/.test(line))
  const listed = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name))
  assert.deepEqual(listed.sort(), [...settings].sort())

  const known: readonly string[] = settings
  const named = [...text.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name = '']) => name)
  assert.deepEqual(
    named.filter((name) => !known.includes(name)),
    [],
  )
})

function faultsOf(environment: Environment): string[] {
  try {
    readConfig(environment)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.replace(/^ {2}- /, ''))
  }
  return []
}
