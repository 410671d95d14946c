import { messageOf } from '../errors.ts';
import { every } from './every.ts';
import type { Logger } from './logger.ts';
import type { EndedSpan, SpanExporter } from './tracing.ts';

/** Where spans are sent, and by which name of the service. */
interface OtlpOptions {
  /** URL of the collector for traces, such as `http://127.0.0.1:4318/v1/traces`. */
  url: string;
  headers: Record<string, string>;
  serviceName: string;
  /** The process, such as `api`. */
  processName: string;
  version: string;
  logger: Pick<Logger, 'warn'>;
}

const SEND_EVERY_MS = 2_000;
/** Spans in one request. */
const BATCH = 512;
/** Spans that wait. Those beyond are lost, so that a collector that does not respond takes no memory. */
const MAX_WAITING = 8 * BATCH;
const TIMEOUT_MS = 10_000;
/** Kinds of spans, by the numbers of the protocol. */
const KINDS = { internal: 1, server: 2, client: 3 } as const;
const ERROR_STATUS = 2;

/**
 * Sends spans to a collector by OTLP/HTTP in JSON (OpenTelemetry Protocol 1.x). Each waits for at most two
 * seconds. What the collector does not take is lost, and logged once until it responds again.
 */
export function createOtlpExporter(options: OtlpOptions): SpanExporter {
  let waiting: EndedSpan[] = [];
  let lost = 0;
  let sending: Promise<void> = Promise.resolve();
  let isFailing = false;

  const send = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
      try {
        await post(batch, options);
        if (lost > 0) options.logger.warn({ lost }, 'spans were lost while the collector did not respond');
        isFailing = false;
        lost = 0;
      } catch (error) {
        lost += batch.length;
        if (!isFailing)
          options.logger.warn({ reason: messageOf(error) }, 'the collector of traces does not take spans');
        isFailing = true;
      }
    }
  };
  const sendNext = () => {
    sending = sending.then(send);
  };
  const timer = every(SEND_EVERY_MS, sendNext);
  timer.unref();
  return {
    add(span) {
      if (waiting.length >= MAX_WAITING) lost++;
      else waiting.push(span);
      if (waiting.length === BATCH) sendNext();
    },
    async close() {
      clearInterval(timer);
      sendNext();
      await sending;
      waiting = [];
    },
  };
}

async function post(spans: EndedSpan[], options: OtlpOptions): Promise<void> {
  const response = await fetch(options.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...options.headers },
    body: JSON.stringify(toRequest(spans, options)),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`it responded with HTTP ${response.status}`);
}

/** An `ExportTraceServiceRequest` in the JSON of Protocol Buffers, with ids in hexadecimal digits. */
function toRequest(
  spans: EndedSpan[],
  { serviceName, processName, version }: Pick<OtlpOptions, 'serviceName' | 'processName' | 'version'>,
) {
  const resource = {
    'service.name': serviceName,
    'service.version': version,
    'process.pid': process.pid,
    'winnow.process': processName,
  };
  return {
    resourceSpans: [
      {
        resource: { attributes: toAttributes(resource) },
        scopeSpans: [{ scope: { name: 'winnow', version }, spans: spans.map(toSpan) }],
      },
    ],
  };
}

const toSpan = ({ traceId, spanId, parentId, name, kind, startMs, endMs, attributes, error }: EndedSpan) => ({
  traceId,
  spanId,
  ...(parentId !== undefined && { parentSpanId: parentId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: toNanoseconds(startMs),
  endTimeUnixNano: toNanoseconds(endMs),
  attributes: toAttributes(attributes),
  ...(error !== undefined && { status: { code: ERROR_STATUS, message: error } }),
});

/** A 64-bit integer, which the JSON of Protocol Buffers has as text. */
const toNanoseconds = (ms: number) => String(BigInt(Math.round(ms * 1000)) * 1000n);

function toAttributes(attributes: Record<string, string | number | boolean>) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }));
}

function toValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
