/**
 * Settings of traces: the supported environment variables of OpenTelemetry, under their own names.
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/)
 */
import type { Reader } from './reader.ts'

export interface TraceSettings {
  readonly url: string
  readonly protocol: (typeof protocols)[number]
  /** Headers of each export, such as the collector's API key. */
  readonly headers: Readonly<Record<string, string>>
  /** The resource attributes of this service. */
  readonly resource: Readonly<Record<string, string>>
  readonly sampler: (typeof samplers)[number]
  /** The share of traces that a ratio sampler records, from 0 to 1. */
  readonly ratio: number
}

/** In the order of `.env.example`. */
export const traceSettings = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_TRACES_EXPORTER',
  'OTEL_SDK_DISABLED',
] as const
type TraceSetting = (typeof traceSettings)[number]

const protocols = ['http/protobuf', 'http/json'] as const
const samplers = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const

/** @returns undefined when traces are off */
export function readTraceSettings({ faults, read, url }: Reader<TraceSetting>): TraceSettings | undefined {
  const oneOf = <Choice extends string>(name: TraceSetting, choices: readonly [Choice, ...Choice[]]): Choice => {
    const text = read(name) ?? choices[0]
    const choice = choices.find((each) => each === text)
    if (choice === undefined) faults.push(`${name} must be one of ${choices.join(', ')}.`)
    return choice ?? choices[0]
  }
  const pairs = (name: TraceSetting, example: string): Record<string, string> => {
    const found = parsePairs(read(name) ?? '')
    if (!found) faults.push(`${name} must be a list like ${example}, with special characters percent-encoded.`)
    return found ?? {}
  }

  const endpoint = url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:'], 'http://127.0.0.1:4318')
  const own = url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ['http:', 'https:'], 'http://127.0.0.1:4318/v1/traces')
  const protocol = oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', protocols)
  const headers = pairs('OTEL_EXPORTER_OTLP_HEADERS', 'api-key=secret,other=value')
  const attributes = pairs('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=production,service.version=1.0')
  const sampler = oneOf('OTEL_TRACES_SAMPLER', samplers)
  const ratio = Number(read('OTEL_TRACES_SAMPLER_ARG') ?? 1)
  if (!(ratio >= 0 && ratio <= 1)) faults.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.')
  const exporter = oneOf('OTEL_TRACES_EXPORTER', ['otlp', 'none'])
  const disabled = oneOf('OTEL_SDK_DISABLED', ['false', 'true'])

  const target = own?.href ?? (endpoint && `${endpoint.href.replace(/\/$/, '')}/v1/traces`)
  if (!target || exporter === 'none' || disabled === 'true') return undefined
  const name = read('OTEL_SERVICE_NAME') ?? attributes['service.name'] ?? 'guildhall'
  return { url: target, protocol, headers, resource: { ...attributes, 'service.name': name }, sampler, ratio }
}

/** @returns undefined if the text is not a list of `name=value` */
function parsePairs(text: string): Record<string, string> | undefined {
  const pairs: Record<string, string> = Object.create(null)
  for (const item of text.split(',').filter((each) => each.trim() !== '')) {
    const [, name, value] = /^\s*([\w.!#$%&'*+^`|~-]+)\s*=\s*(.*?)\s*$/.exec(item) ?? []
    if (name === undefined || value === undefined) return undefined
    try {
      pairs[decodeURIComponent(name)] = decodeURIComponent(value)
    } catch {
      return undefined
    }
  }
  return { ...pairs }
}
