/**
 * Traces: sends spans of requests, doors, statements and jobs to an OpenTelemetry collector.
 *
 * Invariant: a span contains names, codes and statements without their values, and no path, query, header, body or error message.
 */

import type { TracingChannel } from 'node:diagnostics_channel'
import {
  type Attributes,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { parseTraceParent, setGlobalErrorHandler } from '@opentelemetry/core'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { FastifyBaseLogger } from 'fastify'
import { answered, asked, doors, jobs, listen, pipelines, tracing } from '../../platform/channels.ts'
import { Problem } from '../../platform/http/problems.ts'
import { within } from '../../platform/jobs/steady-pool.ts'
import type { TraceSettings } from '../../platform/settings/traces.ts'
import { version } from '../../platform/version.ts'
import { describe } from './statements.ts'

/**
 * Starts tracing.
 *
 * @param exportTimeout the timeout of an export to the collector, in milliseconds; a stop waits as long for the last one
 * @returns a function that exports the remaining spans and stops tracing
 */
export async function openTraces(
  settings: TraceSettings,
  log: FastifyBaseLogger,
  exportTimeout = 3_000,
): Promise<() => Promise<void>> {
  const warn = (message: string) => log.warn({ reason: message }, 'traces')
  const logger = { error: warn, warn, info: () => {}, debug: () => {}, verbose: () => {} }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const fail = (error: unknown) =>
    warn(`Traces could not be sent: ${error instanceof Error ? error.message : 'unknown'}`)
  setGlobalErrorHandler(fail)
  const { url, headers } = settings
  const { OTLPTraceExporter } = await (settings.protocol === 'http/json'
    ? import('@opentelemetry/exporter-trace-otlp-http')
    : import('@opentelemetry/exporter-trace-otlp-proto'))
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: exportTimeout })
  const provider = new TracerProvider({
    sampler: samplerOf(settings),
    resource: defaultResource().merge(resourceFromAttributes({ 'service.version': version, ...settings.resource })),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: exportTimeout })],
  })
  const tracer = provider.getTracer('guildhall', version)
  const begin: Begin = (name, kind, parent, attributes = {}, linked = []) => {
    const above = parent === undefined ? null : parseTraceParent(parent)
    const context = above ? trace.setSpanContext(ROOT_CONTEXT, above) : ROOT_CONTEXT
    const links = linked.flatMap((each) => {
      const other = parseTraceParent(each)
      return other ? [{ context: other }] : []
    })
    return tracer.startSpan(name, { kind, attributes, links }, context)
  }
  const endings = [traceRequests(begin), traceDoors(begin), tracePipelines(begin), traceJobs(begin)]
  return async () => {
    for (const end of endings) end()
    await within(exportTimeout, provider.shutdown().catch(fail))
    diag.disable()
  }
}

type Begin = (
  name: string,
  kind: SpanKind,
  parent: string | undefined,
  attributes?: Attributes,
  /** The `traceparent` of each span to link to. */
  linked?: readonly string[],
) => Span

function samplerOf({ sampler, ratio }: TraceSettings): Sampler {
  const kind = sampler.replace('parentbased_', '')
  const root =
    kind === 'always_on'
      ? new AlwaysOnSampler()
      : kind === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio)
  return kind === sampler ? root : new ParentBasedSampler({ root })
}

function traceRequests(begin: Begin): () => void {
  const spans = new WeakMap<object, Span>()
  asked.bindStore(tracing, ({ request, id, method, traceparent }) => {
    const span = begin(method, SpanKind.SERVER, traceparent, { 'guildhall.request.id': id })
    spans.set(request, span)
    return traceparentOf(span)
  })
  const stop = listen(answered, ({ request, method, route, status, problem }) => {
    const span = spans.get(request)
    if (!span) return // it arrived before tracing was started
    span.setAttributes({ 'http.request.method': method, 'http.response.status_code': status })
    if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route)
    if (problem !== undefined) span.setAttribute('error.type', problem)
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  })
  return () => {
    asked.unbindStore(tracing)
    stop()
  }
}

/** Traces the work behind doors. */
function traceDoors(begin: Begin): () => void {
  return follow(doors, ({ door }) => begin(door, SpanKind.INTERNAL, tracing.getStore()))
}

/**
 * Traces statements inside a request or a job. The service's own periodic statements are not traced. If several requests shared a pipeline,
 * each has a span with its own statements, which links to the doors of the others.
 */
function tracePipelines(begin: Begin): () => void {
  return follow(pipelines, ({ statements, served = [] }) => {
    const parent = tracing.getStore()
    if (parent === undefined) return undefined
    const described = statements.map(describe)
    const summary = described.map((each) => each.summary).join(', ')
    const attributes = {
      'db.system.name': 'postgresql',
      'db.query.summary': summary,
      'db.query.text': described.map((each) => each.text).join('; '),
      ...(statements.length > 1 && { 'db.operation.batch.size': statements.length }),
    }
    const others = served.filter((each) => each !== parent)
    return begin(summary, SpanKind.CLIENT, parent, attributes, others)
  })
}

function traceJobs(begin: Begin): () => void {
  return follow(jobs, ({ task, traceparent }) =>
    begin(`process ${task}`, SpanKind.CONSUMER, traceparent, {
      'messaging.system': 'graphile_worker',
      'messaging.operation.type': 'process',
      'messaging.destination.name': task,
    }),
  )
}

/** Creates a span for each operation that a channel traces. @returns a function that stops it */
function follow<Work extends object>(
  { start, end, asyncEnd, error: failed }: TracingChannel<string, Work>,
  begin: (work: Work) => Span | undefined,
): () => void {
  const spans = new WeakMap<object, Span>()
  start.bindStore(tracing, (work) => {
    const span = begin(work)
    if (span) spans.set(work, span)
    return span ? traceparentOf(span) : (undefined as unknown as string) // the types do not allow an empty store
  })
  const fail = (message: unknown) => {
    const work = message as { error: unknown } // as node:diagnostics_channel publishes it
    const span = spans.get(work)
    if (!span) return
    const isRefusal = work.error instanceof Problem && work.error.status < 500
    span.setAttribute('error.type', typeOf(work.error))
    if (!isRefusal) span.setStatus({ code: SpanStatusCode.ERROR })
  }
  const finish = (message: unknown) => {
    spans.get(message as object)?.end()
    spans.delete(message as object)
  }
  const finishFailed = (message: unknown) => {
    if ((message as { error?: unknown }).error !== undefined) finish(message) // it threw before it returned a promise
  }
  failed.subscribe(fail)
  asyncEnd.subscribe(finish)
  end.subscribe(finishFailed)
  return () => {
    start.unbindStore(tracing)
    failed.unsubscribe(fail)
    asyncEnd.unsubscribe(finish)
    end.unsubscribe(finishFailed)
  }
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

/** @returns the code of a problem or of PostgreSQL, else the error's name; never its message, which may contain values of a request */
function typeOf(error: unknown): string {
  const { code, name, cause } = Object(error) as { code?: unknown; name?: unknown; cause?: unknown }
  if (typeof code === 'string') return code
  const { code: below } = Object(cause) as { code?: unknown }
  return typeof below === 'string' ? below : typeof name === 'string' ? name : 'unknown'
}
