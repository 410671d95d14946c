import type { AgentRequest } from '../../schemas/agent.ts';
import type { ExtractRequest } from '../../schemas/extract.ts';
import { parserOptions } from '../../schemas/parsers.ts';
import type { Step } from '../../storage/agent-steps/step.ts';
import { type AgentTask, agentTask, extractTask, type RulesReason } from './task.ts';

/** Pages of a document that an extract reads at most, unless its request says how many. */
const EXTRACT_DOCUMENT_PAGES = 100;

/** The request of an agent or extract, as it is stored. */
export type StoredRun =
  | { kind: 'agent'; request: AgentRequest }
  | { kind: 'extract'; request: ExtractRequest };

/**
 * Creates the task of a run.
 * @param byRules why rules take the place of the model; only an extract with a schema can work so
 */
export const taskOf = (run: StoredRun, byRules?: RulesReason): AgentTask =>
  run.kind === 'agent'
    ? agentTask(run.request)
    : extractTask({
        ...run.request,
        followsLinks: run.request.allowExternalLinks,
        searches: run.request.enableWebSearch,
        proxy: run.request.scrapeOptions.proxy,
        maxDocumentPages: documentPagesOf(run.request.scrapeOptions),
        byRules,
      });

/** Whether rules can derive the result of a run: it is an extract with pages and a schema. */
export const canWorkByRules = (run: StoredRun): boolean =>
  run.kind === 'extract' && run.request.schema !== undefined && run.request.urls.length > 0;

/**
 * Finds out why rules derive the result of a run.
 * @param steps the plan among them says whether the tokens of the team were used up
 */
export function rulesReasonOf(
  run: StoredRun,
  { hasModel, steps }: { hasModel: boolean; steps: readonly Step[] },
): RulesReason | undefined {
  if (run.kind === 'agent') return undefined;
  if (!hasModel) return 'no-model';
  const isSpent = steps.some(({ tool, input }) => tool === 'plan' && input.byRules === 'budget-spent');
  return isSpent ? 'budget-spent' : undefined;
}

/** Pages of a document that an extract may read. Without the parser, a PDF is one page. */
function documentPagesOf({ parsers }: ExtractRequest['scrapeOptions']): number {
  const options = parserOptions(parsers).find(({ type }) => type === 'pdf');
  return options ? ('maxPages' in options && options.maxPages) || EXTRACT_DOCUMENT_PAGES : 1;
}
