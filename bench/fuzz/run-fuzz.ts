import { messageOf } from '../../src/errors.ts';
import { fieldsOf } from '../../src/json/json-object.ts';
import { Judge } from './judge.ts';
import { KnownValues } from './known-values.ts';
import { type Operation, readReference } from './operations.ts';
import { type FuzzRequest, KINDS, type Kind, makeRequests } from './requests.ts';
import { type Access, send } from './send.ts';

/** What a run is made of. */
export interface FuzzRun {
  access: Access;
  /** Pages that the requests may lead to. */
  urls: readonly string[];
  seed: number;
  requests: number;
  /** Requests at once. */
  lanes: number;
  /** How long a response may take, in milliseconds. */
  hangMs: number;
  /** Only operations whose name contains it. */
  only?: string | undefined;
  /** Ends the run early. */
  signal?: AbortSignal;
}

/** A response that the reference does not describe. */
interface Finding {
  operation: string;
  fault: string;
  /** The first request that had it, as a command for a shell. */
  command: string;
  times: number;
}

/** What a run has found. */
export interface FuzzOutcome {
  sent: number;
  /** Number of responses by kind of request and by status. */
  statuses: Map<Kind, Map<number, number>>;
  /** The operations that had a response below 400. */
  succeeded: Set<string>;
  operations: string[];
  findings: Finding[];
  /** The slowest response, in milliseconds. */
  slowestMs: number;
}

/** Sends requests that are made from the reference of a service, and judges each response by it. */
export async function runFuzz(run: FuzzRun): Promise<FuzzOutcome> {
  const { access, urls, seed } = run;
  const reference = readReference(await (await fetch(`${access.url}/openapi.json`)).json());
  const operations = reference.operations.filter(({ name }) => name.includes(run.only ?? ''));
  const known = new KnownValues(reference.operations);
  const judge = new Judge(reference);
  const sources = operations.flatMap((operation, at) =>
    KINDS.map((kind, nth) => ({
      operation,
      kind,
      requests: makeRequests(operation, kind, { urls, seed: seed + at * KINDS.length + nth, known }),
    })),
  );
  const outcome: FuzzOutcome = {
    sent: 0,
    statuses: new Map(KINDS.map((kind) => [kind, new Map()])),
    succeeded: new Set(),
    operations: operations.map(({ name }) => name),
    findings: [],
    slowestMs: 0,
  };
  const one = async (turn: number) => {
    const { operation, requests } = sources[orderOf(turn, sources.length)]!;
    const request = requests.next().value;
    const before = performance.now();
    const note = (fault: string | undefined) => {
      if (fault !== undefined) addFinding(outcome.findings, { operation, request, fault, access });
    };
    try {
      const answer = await send(access, request, run.hangMs);
      outcome.slowestMs = Math.max(outcome.slowestMs, performance.now() - before);
      const ofKind = outcome.statuses.get(request.kind);
      ofKind?.set(answer.status, (ofKind.get(answer.status) ?? 0) + 1);
      if (answer.status < 400) outcome.succeeded.add(operation.name);
      known.learn(operation, answer.text);
      note(judge.faultOf(request, answer));
    } catch (error) {
      note(`no response: ${messageOf(error)}`);
    }
  };
  const lane = async () => {
    while (outcome.sent < run.requests && !run.signal?.aborted) await one(outcome.sent++);
  };
  await Promise.all(Array.from({ length: run.lanes }, lane));
  await endSchedules(access);
  return outcome;
}

/** Deletes the monitors of the run, which would go on for as long as the service does. */
async function endSchedules({ url, key }: Access): Promise<void> {
  const headers = { Authorization: `Bearer ${key}` };
  for (;;) {
    const { data } = fieldsOf(await (await fetch(`${url}/v2/monitor`, { headers })).json());
    const ids = Array.isArray(data) ? data.map((monitor) => String(fieldsOf(monitor).id)) : [];
    if (ids.length === 0) return;
    for (const id of ids) {
      const response = await fetch(`${url}/v2/monitor/${id}`, { method: 'DELETE', headers });
      if (!response.ok) throw new Error(`monitor ${id} could not be deleted: ${await response.text()}`);
    }
  }
}

/** The source of a turn: all of them before any comes again, in an order in which neighbours are far apart. */
function orderOf(turn: number, length: number): number {
  const step = 101 % length === 0 ? 1 : 101;
  return (turn * step) % length;
}

/** Digits and texts in a fault that differ from one response to the next. */
const VARIABLE = /"[^"]*"|[\da-f]{8}-[\da-f-]{27}|\d{4,}/g;

function addFinding(
  findings: Finding[],
  found: { operation: Operation; request: FuzzRequest; fault: string; access: Access },
): void {
  const { operation, request, fault, access } = found;
  const sameAs = (text: string) => text.replace(VARIABLE, '…').slice(0, 120);
  const earlier = findings.find(
    (each) => each.operation === operation.name && sameAs(each.fault) === sameAs(fault),
  );
  if (earlier) earlier.times++;
  else
    findings.push({
      operation: operation.name,
      fault,
      command: toCommand(request, access),
      times: 1,
    });
}

const inQuotes = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A request as a command of curl, without the key. */
function toCommand({ method, target, headers, body }: FuzzRequest, { url }: Access): string {
  const options = Object.entries(headers).map(([name, value]) => `-H ${inQuotes(`${name}: ${value}`)}`);
  const text = body === undefined ? '' : Buffer.from(body).toString();
  return [
    `curl -X ${method} --path-as-is ${inQuotes(url + target)}`,
    '-H "Authorization: Bearer $KEY"',
    ...options,
    ...(text ? [`-d ${inQuotes(text.slice(0, 2_000))}`] : []),
  ].join(' ');
}
