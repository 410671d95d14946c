import type { LanguageModel } from '../../content/language-model.ts';
import { messageOf, ServiceError } from '../../errors.ts';
import type { Access } from '../../jobs/agent/access.ts';
import type { Reply, ResultText } from '../../jobs/agent/conversation.ts';
import type { AgentTask } from '../../jobs/agent/task.ts';
import { think } from '../../jobs/agent/think.ts';
import type { PageCall } from '../../jobs/agent/tools.ts';
import { callsOf, nextTurn, withAnswer } from '../../jobs/agent/turns.ts';
import { isCall, type NewCall, type Step } from '../../storage/agent-steps/step.ts';
import { extractFromView } from './extract-data.ts';
import { isPageAction, performAction } from './page-actions.ts';
import { cutView, elementName, type PageView, readView } from './page-view.ts';
import type { PromptTab } from './prompt-tab.ts';
import type { PromptTabs } from './prompt-tabs.ts';

/** The tokens of a page that the model gets at once: a share of its context window, within these bounds. */
const VIEW_TOKENS = { min: 500, max: 12_000, share: 0.5 };
const OLD_VIEW = '[The page was shown here. The newest view is below.]';

/** The model, the browser and the limits of a prompt. */
export interface PromptRunOptions {
  task: AgentTask;
  access: Access;
  tabs: PromptTabs;
  model: LanguageModel;
  /** Ends the run; its reason is thrown. */
  signal: AbortSignal;
  /** Whether only the time for an answer is left. */
  isTimeShort(): boolean;
  /** Called before each call of a tool. @param line the call in a few words */
  onStep(tool: Step['tool'], line: string): void;
  /**
   * Called when the model has replied for the first time. An error that it throws ends the run before
   * anything is done.
   */
  onFirstReply(): Promise<void>;
}

/** The result of a call, for the model. */
interface CallResult {
  note: string;
  view?: PageView;
  /** The character of the view to begin with. */
  from?: number;
}

/** How a run ended. */
export interface PromptEnd {
  /** The answer of the model, if it gave one. */
  answer?: unknown;
  /** The limit that made the model answer before it was done. */
  usedUp?: 'turns' | 'time' | undefined;
}

/**
 * One prompt in the browser of a session: the loop of agents (`src/jobs/agent/`) over the tools of a page.
 */
export class PromptRun {
  /** One line for each call so far, with what it returned beside the page. */
  readonly lines: string[] = [];
  readonly #options: PromptRunOptions;
  readonly #steps: Step[] = [];
  readonly #replies = new Map<number, Reply>();
  readonly #results = new Map<number, CallResult>();
  #view: PageView | undefined;
  #usedUp: PromptEnd['usedUp'];

  constructor(options: PromptRunOptions) {
    this.#options = options;
  }

  /** Whether the model has replied at least once. */
  get hasBegun(): boolean {
    return this.#replies.size > 0;
  }

  /**
   * Lets the model work until it answers.
   * @throws ServiceError `MODEL_…` if the model fails; the reason of the signal
   */
  async run(): Promise<PromptEnd> {
    this.#add({ turn: 0, tool: 'plan', summary: 'Show the page', input: {}, error: null });
    await this.#call({ tool: 'read', input: { from: 0 }, summary: 'the page' }, 0);
    for (let turn = 1; ; turn++) {
      const { task, access, isTimeShort } = this.#options;
      const isShort = isTimeShort();
      const limited = isShort ? { ...task, maxTurns: 1 } : task;
      const next = nextTurn(limited, { steps: this.#steps, links: [], access });
      if (next.kind !== 'think') return this.#end();
      if (next.isLast) this.#usedUp ??= isShort ? 'time' : 'turns';
      await this.#takeTurn(turn, next);
    }
  }

  /** Returns the page as it is now. @throws Error if it does not respond or may not be read */
  async readPage(): Promise<string> {
    const { tabs, access } = this.#options;
    return (await readView(await tabs.current(), access.hosts)).text;
  }

  #end(): PromptEnd {
    const answer = this.#steps.find(({ tool, state }) => tool === 'answer' && state === 'done');
    return { usedUp: this.#usedUp, ...(answer && { answer: answer.input.data }) };
  }

  async #takeTurn(
    turn: number,
    { tools, isLast }: Extract<ReturnType<typeof nextTurn>, { kind: 'think' }>,
  ): Promise<void> {
    const { task, access, onFirstReply } = this.#options;
    const thought = await this.#think(tools, isLast);
    if (!this.hasBegun) await onFirstReply();
    // Without a call, the text is the answer if the model has been reminded already.
    const wasReminded = this.#steps.findLast(({ tool }) => tool === 'think')?.input.hasNoCall === true;
    const reply = withAnswer(thought, isLast || wasReminded);
    const situation = { task, access, steps: this.#steps, checkData: acceptData };
    const calls = await callsOf(reply.calls, tools, situation);
    const input = { ...(isLast && { isLast }), ...(reply.calls.length === 0 && { hasNoCall: true }) };
    const { sequence } = this.#add({ turn, tool: 'think', summary: '', input, error: null });
    this.#replies.set(sequence, reply);
    for (const call of calls) {
      if (call.error !== null) this.#add({ turn, ...call });
      // `callsOf` has checked it against the tools of the task.
      else await this.#call(call as unknown as PageCall, turn);
      if (call.tool === 'answer' && call.error === null) return;
    }
  }

  async #think(tools: Parameters<typeof think>[1]['tools'], isLast: boolean): Promise<Reply> {
    const { task, access, model, signal } = this.#options;
    const results = this.#resultTexts();
    const replies = this.#replies;
    const reply = await think(model, { task, access, steps: this.#steps, replies, results, isLast, tools });
    signal.throwIfAborted();
    return reply;
  }

  /** Performs a call and stores it with its result. */
  async #call(call: PageCall, turn: number): Promise<void> {
    const { signal, onStep } = this.#options;
    signal.throwIfAborted();
    const line = this.#describe(call);
    if (turn > 0) onStep(call.tool, line);
    const step = this.#add({ turn, ...call, error: null });
    try {
      const result = await this.#perform(call);
      if (result.view) this.#showView(result.view);
      this.#results.set(step.sequence, result);
      if (turn > 0) this.lines.push([line, result.note].filter(Boolean).join(': '));
    } catch (error) {
      signal.throwIfAborted();
      // Without a model there is no way on; a response that it cannot use is the affair of this call.
      if (error instanceof ServiceError && error.code !== 'MODEL_RESPONSE_UNUSABLE') throw error;
      step.state = 'failed';
      step.error = messageOf(error);
      if (turn > 0) this.lines.push(`${line}: failed. ${step.error}`);
    }
  }

  async #perform(call: PageCall): Promise<CallResult> {
    const { access, tabs, model } = this.#options;
    if (call.tool === 'answer') return { note: '' };
    const tab = await tabs.current();
    if (call.tool === 'extract') {
      const view = await readView(tab, access.hosts);
      return { note: await extractFromView(model, view, call.input.request) };
    }
    if (!isPageAction(call))
      return { note: '', view: await readView(tab, access.hosts), from: call.input.from };
    const failure = await performAction(tab, call).then(
      () => undefined,
      (error: unknown) => messageOf(error),
    );
    const events = this.#takeEvents(tab);
    if (failure !== undefined) throw new Error([...events, failure].join(' '));
    // The call may have opened another tab.
    return { note: events.join(' '), view: await readView(await tabs.current(), access.hosts) };
  }

  /** Makes a view the newest one. The text of the others is not needed any more, and may be long. */
  #showView(view: PageView): void {
    if (this.#view) this.#view.text = '';
    this.#view = view;
  }

  /** Returns a sentence for each thing that has happened beside the page. */
  #takeEvents(tab: PromptTab): string[] {
    const refused = this.#options.tabs.guard
      .takeRefused()
      .map((host) => `The page leads to ${host}, which may not be opened, so the tab stayed where it was.`);
    return [...tab.takeDialogs(), ...refused];
  }

  /** A call in a few words, without the text that it types. */
  #describe({ tool, input, summary }: PageCall): string {
    const object = 'ref' in input ? elementName(this.#view?.text ?? '', input.ref) : summary;
    return `${tool} ${object}`;
  }

  #add(call: Omit<NewCall, 'reserved'> & { turn: number }): Step {
    const { turn, tool, summary, input, error } = call;
    const step: Step = {
      sequence: this.#steps.length,
      turn,
      tool,
      summary,
      input,
      error,
      state: error === null ? 'done' : 'failed',
      credits: 0,
      blob: null,
      childId: null,
    };
    this.#steps.push(step);
    if (error !== null && isCall(step)) this.lines.push(`${tool} ${summary}: refused. ${error}`);
    return step;
  }

  /** The results of calls for the model. Only the newest view of the page is in them. */
  #resultTexts(): Map<number, ResultText> {
    const room = this.#options.model.roomFor({ instructions: '' });
    const tokens = Math.min(VIEW_TOKENS.max, Math.max(VIEW_TOKENS.min, Math.floor(room * VIEW_TOKENS.share)));
    const newest = [...this.#results].findLast(([, { view }]) => view)?.[0];
    return new Map(
      [...this.#results].map(([sequence, { note, view, from = 0 }]): [number, ResultText] => {
        const page = view && (sequence === newest ? cutView(view.text, from, tokens) : OLD_VIEW);
        const text = [note, page].filter(Boolean).join('\n\n') || 'Done.';
        return [sequence, { source: view?.url ?? 'the page', text }];
      }),
    );
  }
}

/** The answer of a prompt has no schema. */
const acceptData = async ({ value }: { value: unknown }) => ({ value, faults: [] });
