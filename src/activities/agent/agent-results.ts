import { MAP_CREDITS, PAGE } from '../../credits.ts';
import { isErrorCode, policyOf } from '../../errors.ts';
import { type Access, findAccess } from '../../jobs/agent/access.ts';
import { callsWithResult, type Reply, type ResultText } from '../../jobs/agent/conversation.ts';
import { linksOf, linksText, type OpenedPage, openedPageText, toPage } from '../../jobs/agent/results.ts';
import { type AgentTask, RULES_CREDITS } from '../../jobs/agent/task.ts';
import { isOpenedPage } from '../../jobs/agent/turns.ts';
import { fieldsOf } from '../../json/json-object.ts';
import type { Step } from '../../storage/agent-steps/step.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { Database } from '../../storage/db/client.ts';
import { findOutcome } from '../../storage/db/jobs/jobs.ts';
import { isOnAllowedHost } from '../../url/allowed-hosts.ts';

/** The state of a run, read from the results of its steps. */
export interface RunState {
  /** The URLs that each map found. */
  links: string[][];
  access: Access;
  replies: Map<number, Reply>;
  results: Map<number, ResultText>;
}

/** Characters of all results together that are in memory at once. It is far more than a model reads. */
const MAX_CHARACTERS = 16 * 1024 ** 2;

/**
 * Reads the results of the steps of a run, one after the other, and keeps the part of each that a model may
 * get.
 */
export async function readRunState(
  deps: { results: Blobs },
  task: AgentTask,
  steps: readonly Step[],
): Promise<RunState> {
  const calls = callsWithResult(steps);
  const room = Math.floor(MAX_CHARACTERS / Math.max(1, calls.length));
  const urlsOf = { map: [] as string[][], search: [] as string[][] };
  const replies = new Map<number, Reply>();
  const results = new Map<number, ResultText>();
  const keep = ({ sequence }: Step, { text, ...rest }: ResultText) =>
    results.set(sequence, { ...rest, text: text.slice(0, room) });
  for (const step of steps) {
    if (step.blob === null || step.tool === 'answer') continue;
    const content: unknown = JSON.parse((await deps.results.get(step.blob)).toString());
    // `decideTurn` stored the replies in this shape.
    if (step.tool === 'think') replies.set(step.sequence, content as Reply);
    else if (isOpenedPage(step)) {
      const page = toPage(step.sequence, content);
      keep(step, openedPageText(page));
      for (const read of calls.filter((call) => isReadOf(call, step)))
        keep(read, openedPageText(page, Number(read.input.from)));
    } else if (step.state === 'done' && (step.tool === 'map' || step.tool === 'search')) {
      urlsOf[step.tool].push(linksOf(content).map(({ url }) => url));
      keep(step, linksText(step, content));
    }
  }
  for (const call of calls)
    if (!results.has(call.sequence)) keep(call, { source: call.summary, text: 'There is no such page.' });
  return { links: urlsOf.map, access: findAccess(task, urlsOf.search.flat()), replies, results };
}

const isReadOf = ({ tool, input }: Step, { sequence }: Step) =>
  tool === 'read' && Number(input.page) === sequence;

/** Reads the pages that a run has opened, one after the other. */
export async function* readPages(
  { results }: { results: Blobs },
  steps: readonly Step[],
): AsyncGenerator<OpenedPage> {
  for (const { sequence, blob } of steps.filter(isOpenedPage)) {
    if (blob === null) continue;
    yield toPage(sequence, JSON.parse((await results.get(blob)).toString()));
  }
}

/**
 * Finds out which URLs a run may open. It reads only the results of searches, because those of pages may be
 * large.
 */
export async function readAccess(
  { results }: { results: Blobs },
  task: AgentTask,
  steps: readonly Step[],
): Promise<Access> {
  const searches = steps.filter(({ tool, state }) => tool === 'search' && state === 'done');
  const found = await Promise.all(
    searches.map(async ({ blob }) =>
      blob === null ? [] : linksOf(JSON.parse((await results.get(blob)).toString())).map(({ url }) => url),
    ),
  );
  return findAccess(task, found.flat());
}

/** The outcome of a call, as its step stores it. */
type Outcome = Pick<Step, 'state' | 'credits' | 'blob' | 'error'>;

/**
 * Reads the outcome of a call from the job that has done its work. A page that has left the hosts of the run
 * counts as failed, so that nothing of it reaches the model.
 * @param task.isByRules whether rules derive the result; otherwise the data that they extracted from a page
 * is free
 */
export async function readOutcome(
  { db, results }: { db: Database; results: Blobs },
  { childId, tool }: Step,
  { access, isByRules }: { access: Access; isByRules: boolean },
): Promise<Outcome> {
  if (childId === null) return { state: 'done', credits: 0, blob: null, error: null };
  const outcome = await findOutcome(db, childId);
  const blob = outcome?.blob ?? null;
  if (blob === null) {
    const { code, message } = outcome?.error ?? { code: 'WORKER_LOST', message: 'It did not end.' };
    const credits = isErrorCode(code) ? (policyOf(code).credits ?? 0) : 0;
    return { state: 'failed', credits, blob: null, error: message };
  }
  if (tool === 'map') return { state: 'done', credits: MAP_CREDITS, blob, error: null };
  const result = fieldsOf(JSON.parse((await results.get(blob)).toString()));
  if (tool === 'search')
    return { state: 'done', credits: Number(result.creditsUsed ?? 0), blob, error: null };
  const { metadata, json } = result;
  const { url, creditsUsed } = fieldsOf(metadata);
  const surcharge = isByRules || json === undefined ? 0 : RULES_CREDITS;
  const credits = Number(creditsUsed ?? PAGE) - surcharge;
  if (isOnAllowedHost(String(url), access.hosts)) return { state: 'done', credits, blob, error: null };
  const error = `The page redirects to ${URL.parse(String(url))?.host ?? 'another host'}, which may not be opened.`;
  return { state: 'failed', credits, blob: null, error };
}
