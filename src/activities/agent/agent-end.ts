import type { Answer } from '../../jobs/agent/answer.ts';
import {
  mergeByRules,
  type OpenedPage,
  RULES_REASONS,
  type RunResult,
  sourcesByField,
  withCutDocuments,
} from '../../jobs/agent/results.ts';
import type { AgentTask } from '../../jobs/agent/task.ts';
import { isOpenedPage } from '../../jobs/agent/turns.ts';
import { priceOfRun, type Step } from '../../storage/agent-steps/step.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { Database } from '../../storage/db/client.ts';
import { type AgentRun, endRun, listSteps } from '../../storage/db/jobs/agent-steps.ts';
import type { StoredError } from '../../storage/db/tables.ts';
import { sumModelTokens } from '../../storage/db/teams/model-calls.ts';
import { readPages } from './agent-results.ts';

/** How the workflow of a run has ended. */
export interface AgentEnd {
  status: 'ended' | 'cancelled' | 'failed';
  /** Why it failed. */
  error?: StoredError;
}

/** Ends a run in the database: stores its result, bills it and writes its last event. */
export async function concludeRun(
  deps: { db: Database; results: Blobs },
  { run, task }: { run: AgentRun; task: AgentTask },
  { status, error }: AgentEnd,
): Promise<void> {
  const { db, results } = deps;
  const steps = await listSteps(db, run.id);
  const pages = status === 'ended' ? await listPages(deps, steps) : [];
  const found = status === 'ended' ? findAnswer(task, steps, pages) : undefined;
  const answer = found && withCutDocuments(found, pages);
  const credits = priceOfRun(steps, { maxCredits: task.maxCredits, hasResult: answer !== undefined });
  if (answer) {
    const { totalTokens: modelTokens } = await sumModelTokens(db, run.id);
    const byField = await sourcesByField(answer.data, readPages(deps, steps), answer.sources);
    const result: RunResult = {
      ...answer,
      sourcesByField: byField,
      modelTokens,
      pages: new Set(pages.map(({ url }) => url)).size,
    };
    const blob = await results.put(Buffer.from(JSON.stringify(result)));
    await endRun(db, { jobId: run.id, credits, end: { status: 'completed', blob } });
  } else if (status === 'cancelled') {
    await endRun(db, { jobId: run.id, credits, end: { status: 'cancelled' } });
  } else {
    await endRun(db, {
      jobId: run.id,
      credits,
      end: { status: 'failed', error: error ?? reasonWithoutAnswer(task, steps) },
    });
  }
}

/** Lists the pages that a run has opened, without their texts, which may be large. */
async function listPages(deps: { results: Blobs }, steps: readonly Step[]): Promise<OpenedPage[]> {
  const pages: OpenedPage[] = [];
  for await (const page of readPages(deps, steps)) pages.push({ ...page, text: '' });
  return pages;
}

/** Finds the result of a run: what the model gave, or what rules found on its pages. */
function findAnswer(
  task: AgentTask,
  steps: readonly Step[],
  pages: readonly OpenedPage[],
): Answer | undefined {
  if (task.byRules) return mergeByRules(pages, task.byRules);
  const step = steps.find(({ tool, state }) => tool === 'answer' && state === 'done');
  if (!step) return undefined;
  const opened = pages.map(({ url }) => url);
  const named = Array.isArray(step.input.sources) ? step.input.sources.map(String) : [];
  // A page may have been opened under a URL that redirects to its own.
  const requested = new Map(
    steps
      .filter(isOpenedPage)
      .map(({ sequence, input }) => [
        String(input.url),
        pages.find((page) => page.sequence === sequence)?.url ?? '',
      ]),
  );
  const sources = [...new Set(named.map((url) => requested.get(url) ?? url))].filter((url) =>
    opened.includes(url),
  );
  const unsourced = sources.length === 0 && opened.length > 0;
  return {
    data: step.input.data,
    sources: unsourced ? opened : sources,
    ...(unsourced && {
      warning: 'The language model named no sources, so all pages that it opened are listed.',
    }),
    ...(opened.length === 0 && { warning: 'No page was opened, so the result is not based on any.' }),
  };
}

/** Says why a run has no result although its workflow ended as planned. */
function reasonWithoutAnswer(task: AgentTask, steps: readonly Step[]): StoredError {
  const failed = steps.find(({ tool, state }) => tool === 'scrape' && state === 'failed');
  if (!steps.some(isOpenedPage) && failed) {
    const message = `No page could be opened. ${failed.summary}: ${failed.error}`;
    return { code: 'SCRAPE_ALL_ENGINES_FAILED', message };
  }
  if (task.byRules) {
    const message = `Nothing on the pages matches the property names of the schema. ${RULES_REASONS[task.byRules]}, so no language model could look for it.`;
    const code = task.byRules === 'no-model' ? 'MODEL_NOT_CONFIGURED' : 'MODEL_BUDGET_EXCEEDED';
    return { code, message };
  }
  const message = `The language model gave no result that fits within ${task.maxTurns} turns and ${task.maxCredits} credits. Raise effort or maxCredits, or ask for less.`;
  return { code: 'MODEL_RESPONSE_UNUSABLE', message };
}
