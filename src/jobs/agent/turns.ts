import type { ModelToolCall } from '../../content/language-model.ts';
import { type NewCall, remainingCredits, type Step } from '../../storage/agent-steps/step.ts';
import type { ToolName } from '../../storage/agent-steps/tool-name.ts';
import { type Access, refusalOf } from './access.ts';
import { type CheckData, checkAnswer } from './answer.ts';
import type { Reply } from './conversation.ts';
import type { AgentTask } from './task.ts';
import { type CheckedCall, checkCall, toolNamesOf } from './tools.ts';

/** The next step of a run. */
export type NextTurn =
  /** Calls that need no model. */
  | { kind: 'plan'; calls: NewCall[] }
  /** The model is asked, with these tools. */
  | { kind: 'think'; tools: ToolName[]; isLast: boolean }
  | { kind: 'end' };

/** Turns in which the model may do nothing but end its work, and correct its answer. */
const LAST_TURNS = 3;
/** Calls of one turn at most; they run side by side. */
export const CALLS_PER_TURN = 8;
/** Credits that a call costs at least. */
const leastCreditsOf = ({ pageCredits }: AgentTask): Partial<Record<ToolName, number>> => ({
  scrape: pageCredits.least,
  map: 1,
  search: 2,
});
/**
 * The part of the remaining credits that the calls of a turn may take for what they cost beyond the least.
 */
const EXTRA_SHARE = 1 / 2;

/**
 * Decides what comes next in a run.
 * @param links the URLs that each map of the run found, the best first
 */
export function nextTurn(
  task: AgentTask,
  { steps, links, access }: { steps: readonly Step[]; links: readonly (readonly string[])[]; access: Access },
): NextTurn {
  const planned = task.opensUrlsFirst ? planTurn(task, { steps, links }) : [];
  if (planned.length > 0) return { kind: 'plan', calls: withinLimits(planned, { task, steps, access }) };
  const thoughts = steps.filter(({ tool }) => tool === 'think');
  const lastTurns = thoughts.filter(({ input }) => input.isLast === true).length;
  const isEnded =
    hasAnswer(steps) ||
    task.byRules !== undefined ||
    lastTurns >= LAST_TURNS ||
    (task.opensUrlsFirst && !steps.some(isOpenedPage) && !toolNamesOf(task, false).includes('scrape'));
  if (isEnded) return { kind: 'end' };
  const isLast =
    lastTurns > 0 || thoughts.length + 1 >= task.maxTurns || remainingCredits(steps, task.maxCredits) < 1;
  return { kind: 'think', tools: toolNamesOf(task, isLast), isLast };
}

/** Whether a run has its result. */
const hasAnswer = (steps: readonly Step[]): boolean =>
  steps.some(({ tool, state }) => tool === 'answer' && state === 'done');

/** Whether a step has opened a page. */
export const isOpenedPage = ({ tool, state }: Step): boolean => tool === 'scrape' && state === 'done';

/**
 * The calls of an extract before the model is asked: all URLs and maps first, then the best pages of the
 * maps.
 */
function planTurn(
  task: AgentTask,
  { steps, links }: { steps: readonly Step[]; links: readonly (readonly string[])[] },
): CheckedCall[] {
  const plans = steps.filter(({ tool }) => tool === 'plan').length;
  if (plans === 0) {
    const search = task.prompt?.slice(0, 500) || undefined;
    return [
      ...task.urls.map(scrapeCall),
      ...task.sites.map(
        (url): CheckedCall => ({
          tool: 'map',
          input: { url, ...(search && { search }) },
          summary: url,
        }),
      ),
    ];
  }
  const isSecond = plans === 1 && task.sites.length > 0 && !steps.some(({ tool }) => tool === 'think');
  if (!isSecond) return [];
  const best = links.flatMap((each) => each.slice(0, task.pagesPerSite));
  return [...new Set(best)].map(scrapeCall);
}

const scrapeCall = (url: string): CheckedCall => ({
  tool: 'scrape',
  input: { url },
  summary: url.slice(0, 200),
});

/**
 * Takes the text of a reply as the result if the model has nothing else left to do, because some models call
 * no tool then.
 */
export const withAnswer = (reply: Reply, isLast: boolean): Reply =>
  isLast && reply.calls.length === 0 && reply.text !== ''
    ? { ...reply, calls: [{ id: 'text', name: 'answer', input: { data: reply.text, sources: [] } }] }
    : reply;

/** The state of a run that decisions about calls depend on. */
interface Situation {
  task: AgentTask;
  steps: readonly Step[];
  access: Access;
}

/**
 * Decides about the calls of a turn: each becomes a step, and one that is not allowed a failed step that says
 * why. The data of an answer loses what its schema does not declare.
 * @param tools the tools that the model was offered
 */
export async function callsOf(
  calls: readonly ModelToolCall[],
  tools: readonly ToolName[],
  situation: Situation & { checkData: CheckData },
): Promise<NewCall[]> {
  const checked = calls
    .slice(0, CALLS_PER_TURN)
    .map((call) => checkCall(call, { task: situation.task, allowed: tools }));
  const valid = checked.flatMap((each) => ('call' in each ? [each.call] : []));
  const accepted = await Promise.all(
    withinLimits(valid, situation).map((call) => withCheckedData(call, situation)),
  );
  return checked.map((each) =>
    'call' in each ? accepted[valid.indexOf(each.call)]! : unknownCall(each.fault),
  );
}

async function withCheckedData(
  call: NewCall,
  { task, checkData }: { task: AgentTask; checkData: CheckData },
): Promise<NewCall> {
  if (call.tool !== 'answer' || call.error !== null) return call;
  const checked = await checkAnswer(call.input.data, task.schema, checkData);
  if ('fault' in checked) return { ...call, error: checked.fault };
  return { ...call, input: { ...call.input, data: checked.data } };
}

const unknownCall = (fault: string): NewCall => ({
  tool: 'unknown',
  summary: 'a call that is not possible',
  input: {},
  error: fault,
  reserved: 0,
});

/** Gives each call that exceeds a limit its error. */
function withinLimits(calls: readonly CheckedCall[], { task, steps, access }: Situation): NewCall[] {
  let remaining = remainingCredits(steps, task.maxCredits);
  const opened = new Map(
    steps.filter(isOpenedPage).map(({ sequence, input }) => [String(input.url), `Page ${sequence}`]),
  );
  const least = leastCreditsOf(task);
  const limited = calls.map((call): NewCall => {
    const reserved = least[call.tool] ?? 0;
    const error = faultOf(call, { steps, access, task, opened, isTooExpensive: remaining < reserved });
    if (error !== null) return { ...call, error, reserved: 0 };
    remaining -= reserved;
    if (call.tool === 'scrape') opened.set(call.input.url, 'The result of another call');
    return { ...call, error, reserved };
  });
  return withExtraCredits(limited, task, remaining);
}

/**
 * Shares credits out among the pages of a turn, because documents of many pages and enhanced proxies cost
 * more.
 */
function withExtraCredits(calls: readonly NewCall[], task: AgentTask, remaining: number): NewCall[] {
  const isPage = ({ tool, error }: NewCall) => tool === 'scrape' && error === null;
  const { least, most } = task.pageCredits;
  const extra = Math.floor((remaining * EXTRA_SHARE) / Math.max(1, calls.filter(isPage).length));
  const reserved = Math.min(least + extra, most + task.maxDocumentPages - 1);
  return calls.map((call) => (isPage(call) ? { ...call, reserved } : call));
}

function faultOf(
  call: CheckedCall,
  {
    task,
    steps,
    access,
    isTooExpensive,
    opened,
  }: Situation & { isTooExpensive: boolean; opened: Map<string, string> },
): string | null {
  if (isTooExpensive) return 'The credits of this run are used up. Call answer with what is known.';
  if (call.tool === 'open') return refusalOf(call.input.url, access, task) ?? null;
  if (call.tool === 'read' && 'page' in call.input) {
    const { page: number } = call.input;
    const page = steps.find(({ sequence }) => sequence === number);
    return page && isOpenedPage(page) ? null : `There is no page ${number}.`;
  }
  if (call.tool !== 'scrape' && call.tool !== 'map') return null;
  const known = call.tool === 'scrape' ? opened.get(call.input.url) : undefined;
  if (known) return `${known} is this page already. Call read for more of it.`;
  // The pages that a map lists belong to its site.
  return refusalOf(call.input.url, access, task) ?? null;
}
