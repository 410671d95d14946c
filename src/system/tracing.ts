import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

/** The place of work in a trace, as the header `traceparent` names it (W3C Trace Context). */
interface SpanContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  /** Whether spans below it are recorded. */
  isSampled: boolean;
}

/** What a span tells, besides its name and time. Values are never texts of pages. */
export type SpanAttributes = Record<string, string | number | boolean>;

/** A span that has ended. */
export interface EndedSpan extends SpanContext {
  name: string;
  kind: 'server' | 'client' | 'internal';
  parentId: string | undefined;
  /** Milliseconds since 1970, with fractions. */
  startMs: number;
  endMs: number;
  attributes: SpanAttributes;
  /** The code of the error that it ended with. */
  error: string | undefined;
}

/** Sends spans to a collector. */
export interface SpanExporter {
  add(span: EndedSpan): void;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** Work on behalf of a job, which its log lines name. */
interface Scope {
  trace?: SpanContext | undefined;
  job?: string | undefined;
  page?: string | undefined;
  span?: RunningSpan | undefined;
}

/** A span that is under way. */
interface RunningSpan {
  attributes: SpanAttributes;
  /** Set where the work fails without an error that is thrown. */
  error: string | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();
/** Absent unless the operator has a collector. */
let exporter: SpanExporter | undefined;

/** Sets where the spans of this process go. */
export function exportSpansTo(target: SpanExporter | undefined): void {
  exporter = target;
}

/** Whether spans are recorded at all. */
export const isTracing = (): boolean => exporter !== undefined;

/** The ids of the work that is under way, for its log lines: `job`, `page` and `trace`, as far as there are any. */
export function currentIds(): { job?: string; page?: string; trace?: string } {
  const { job, page, trace } = scopes.getStore() ?? {};
  return { ...(job && { job }), ...(page && { page }), ...(trace && { trace: trace.traceId }) };
}

/** Runs work whose log lines name a job or page, within the trace that is under way. */
export const runWithIds = <Result>(ids: Pick<Scope, 'job' | 'page'>, work: () => Result): Result =>
  scopes.run({ ...scopes.getStore(), ...ids }, work);

/** Runs work within the trace that another process has begun. @param traceparent absent or malformed: in none */
export function runInTrace<Result>(
  { traceparent, ...ids }: { traceparent: string | undefined } & Pick<Scope, 'job' | 'page'>,
  work: () => Result,
): Result {
  return scopes.run({ ...ids, trace: parseTraceparent(traceparent) }, work);
}

/** The header `traceparent` for another process; `undefined` outside of a trace. */
export function currentTraceparent(): string | undefined {
  const trace = scopes.getStore()?.trace;
  return trace && `00-${trace.traceId}-${trace.spanId}-${trace.isSampled ? '01' : '00'}`;
}

/** Reads a header `traceparent`; `undefined` if it is none of version 00. */
export function parseTraceparent(header: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/.exec(header ?? '') ?? [];
  if (!traceId || !spanId || !flags || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Names the job that the request under way has made, in its span and its log lines. */
export function nameJob(id: string): void {
  const scope = scopes.getStore();
  if (!scope) return;
  scope.job = id;
  if (scope.span) scope.span.attributes[JOB_ID] = id;
}

/** Keeps all that follows from the request that is under way out of the trace, because its job keeps no data. */
export function leaveTrace(): void {
  const scope = scopes.getStore();
  if (scope?.trace) scope.trace = { ...scope.trace, isSampled: false };
}

/** Options of a span. */
interface SpanOptions {
  kind?: EndedSpan['kind'];
  attributes?: SpanAttributes;
  /** Begins a trace where none is under way. */
  isRoot?: boolean;
}

/**
 * Runs work in a span, whose trace the work hands on. Without a collector, or outside of a trace, it only runs
 * the work.
 * @param work gets the span, to which it may add attributes
 */
export async function inSpan<Result>(
  name: string,
  { kind = 'internal', attributes = {}, isRoot = false }: SpanOptions,
  work: (span: RunningSpan) => Promise<Result>,
): Promise<Result> {
  const outer = scopes.getStore();
  const span: RunningSpan = { attributes, error: undefined };
  if (!exporter || !(outer?.trace || isRoot)) return work(span);
  const trace = below(outer?.trace);
  const scope: Scope = { ...outer, trace, span };
  const startMs = nowMs();
  try {
    return await scopes.run(scope, () => work(span));
  } catch (error) {
    span.error ??= codeOf(error);
    throw error;
  } finally {
    // Of a job that keeps no data, the request tells the id alone.
    const isLeft = trace.isSampled && scope.trace?.isSampled === false;
    const told = isLeft ? { attributes: idOf(span.attributes), error: undefined } : span;
    send({ ...told, ...trace, name, kind, parentId: outer?.trace?.spanId, startMs, endMs: nowMs() });
  }
}

/** Records a span that has ended, below the one that is under way. */
export function recordSpan(
  span: Pick<EndedSpan, 'name' | 'startMs' | 'endMs'> &
    Partial<Pick<EndedSpan, 'attributes' | 'error' | 'kind'>>,
): void {
  const trace = scopes.getStore()?.trace;
  if (exporter && trace) recordSpanBelow(trace, { ...span, ...below(trace) });
}

/** Records a span that has ended, with an id that was given to it before. */
export function recordSpanBelow(
  parent: SpanContext,
  span: Pick<EndedSpan, 'name' | 'startMs' | 'endMs' | 'spanId'> &
    Partial<Pick<EndedSpan, 'attributes' | 'error' | 'kind'>>,
): void {
  const { traceId, isSampled } = parent;
  send({
    kind: 'internal',
    attributes: {},
    error: undefined,
    ...span,
    traceId,
    isSampled,
    parentId: parent.spanId,
  });
}

function send(span: EndedSpan): void {
  if (span.isSampled) exporter?.add(span);
}

const idOf = (attributes: SpanAttributes): SpanAttributes =>
  attributes[JOB_ID] === undefined ? {} : { [JOB_ID]: attributes[JOB_ID] };

/** The attribute with the id of a job. */
export const JOB_ID = 'winnow.job.id';

const below = (parent: SpanContext | undefined): SpanContext => ({
  traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
  spanId: randomBytes(8).toString('hex'),
  isSampled: parent?.isSampled ?? true,
});

/** The time in milliseconds since 1970. It goes on evenly when the clock of the machine is set. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

const codeOf = (error: unknown): string => {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error && 'type' in error && typeof error.type === 'string'
    ? error.type
    : 'UNKNOWN_ERROR';
};
