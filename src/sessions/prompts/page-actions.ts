import { setTimeout as sleep } from 'node:timers/promises';
import { oneLine } from '../../content/html/text.ts';
import { messageOf } from '../../errors.ts';
import { scrollPage } from '../../fetch/browser/actions/scroll.ts';
import { evaluateIsolated } from '../../fetch/browser/dom/isolated-world.ts';
import { waitUntilSettled } from '../../fetch/browser/wait-until-settled.ts';
import type { PageCall } from '../../jobs/agent/tools.ts';
import type { PromptTab } from './prompt-tab.ts';

/** How long a server may take to respond to `open`, in milliseconds. */
const OPEN_MS = 30_000;
/** How long to wait until an element can be clicked or typed into, in milliseconds. */
const ELEMENT_MS = 5_000;
/**
 * How to wait after an action that may change the page. A navigation starts within the quiet time, and is
 * waited for.
 */
const SETTLE_AFTER_ACTION = { quietMs: 250, maxMs: 5_000 };

/** A call that acts on the page, unlike those that only read it. */
export type PageAction = Exclude<PageCall, { tool: 'read' | 'extract' | 'answer' }>;

/** Whether a call acts on the page. */
export const isPageAction = (call: PageCall): call is PageAction =>
  call.tool !== 'read' && call.tool !== 'extract' && call.tool !== 'answer';

/**
 * Performs a call on the page, and waits until the page has settled.
 * @throws Error with a sentence for the model if it was not possible
 */
export async function performAction(tab: PromptTab, call: PageAction): Promise<void> {
  tab.network.restartQuiet();
  try {
    await act(tab, call);
  } catch (error) {
    throw new Error(describeFailure(error, call), { cause: error });
  }
  tab.network.restartQuiet();
  await waitUntilSettled(tab, call.tool === 'open' ? {} : SETTLE_AFTER_ACTION);
}

async function act(tab: PromptTab, { tool, input }: PageAction): Promise<void> {
  const { page } = tab;
  switch (tool) {
    case 'open':
      await page.goto(input.url, { waitUntil: 'commit', timeout: OPEN_MS });
      return;
    case 'click':
      tab.acceptsDialogs = input.acceptDialog;
      try {
        await (await elementOf(tab, input.ref)).click({ timeout: ELEMENT_MS });
      } finally {
        tab.acceptsDialogs = false;
      }
      return;
    case 'type':
      return typeText(tab, input);
    case 'scroll':
      await evaluateIsolated(tab, scrollPage, input.direction === 'up' ? -1 : 1);
      return;
    case 'wait':
      return waitFor(tab, input);
  }
}

async function typeText(
  tab: PromptTab,
  { ref, text, submit }: { ref: string; text: string; submit: boolean },
): Promise<void> {
  const element = await elementOf(tab, ref);
  try {
    await element.fill(text, { timeout: ELEMENT_MS });
  } catch (error) {
    if (!/Element is not an <input>/.test(messageOf(error))) throw error;
    await selectOption(element, text);
  }
  if (text !== '') await requireAccepted(element);
  if (submit) await element.press('Enter', { timeout: ELEMENT_MS });
}

/** Selects the option of a list that has a label. @throws Error that names the options if none has it */
async function selectOption(element: PageElement, label: string): Promise<void> {
  const labels = await labelsOf(element);
  if (labels.length > 0 && !labels.includes(oneLine(label)))
    throw new Error(`The list has no option "${label}". Its options are: ${labels.join(', ')}`);
  try {
    await element.selectOption({ label }, { timeout: ELEMENT_MS });
  } catch (error) {
    if (/not a <select>/.test(messageOf(error)))
      throw new Error('The element is neither a field nor a list of options', { cause: error });
    throw error;
  }
}

/** Options of a list that are read at most. */
const MAX_OPTIONS = 100;

/**
 * The labels of the options of a list; none if there are too many, or some are not the texts of their
 * options.
 */
async function labelsOf(element: PageElement): Promise<string[]> {
  const options = element.locator('option');
  const [count, others] = await Promise.all([options.count(), element.locator('option[label]').count()]);
  if (others > 0 || count > MAX_OPTIONS) return [];
  const texts = Array.from({ length: count }, (_, index) =>
    options.nth(index).textContent({ timeout: ELEMENT_MS }),
  );
  return (await Promise.all(texts)).map((text) => oneLine(text ?? ''));
}

/** Examples of the texts that fields accept which accept no others. */
const EXAMPLES: Record<string, string> = {
  date: '2026-01-31',
  month: '2026-01',
  week: '2026-W05',
  time: '13:30',
  'datetime-local': '2026-01-31T13:30',
};

/**
 * @throws Error if a field is empty although a text was typed into it, because it accepts only texts of
 * another form
 */
async function requireAccepted(element: PageElement): Promise<void> {
  const type = (await element.getAttribute('type', { timeout: ELEMENT_MS })) ?? '';
  const example = EXAMPLES[type.toLowerCase()];
  if (example !== undefined && (await element.inputValue({ timeout: ELEMENT_MS })) === '')
    throw new Error(`The field does not accept this text. It accepts one such as ${example}`);
}

async function waitFor(
  { page }: PromptTab,
  { seconds, text }: { seconds: number; text?: string | undefined },
): Promise<void> {
  const timeout = seconds * 1_000;
  if (text === undefined) await sleep(timeout, undefined, { ref: false });
  else await page.getByText(text).filter({ visible: true }).first().waitFor({ timeout });
}

/** Finds an element of the newest view. @throws Error if the page does not have it any more */
async function elementOf({ page }: PromptTab, ref: string) {
  const element = page.getByRef(ref);
  // Playwright throws for a ref that no view had.
  const count = await element.count().catch(() => 0);
  if (count === 0) throw new Error(`The page has no element ${ref} now. Call read for its current elements`);
  return element;
}

type PageElement = Awaited<ReturnType<typeof elementOf>>;

/** The reason why a call was not possible, without the log that Playwright appends. */
function describeFailure(error: unknown, { tool, input }: PageAction): string {
  const [first = ''] = messageOf(error)
    .replace(/^[a-zA-Z]+\.[a-zA-Z]+: (Error: )?/, '')
    .split('\n');
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  if (isTimeout && tool === 'wait') return `The text did not appear within ${input.seconds} seconds.`;
  if (isTimeout && tool === 'open') return `The server did not respond within ${OPEN_MS / 1_000} seconds.`;
  if (isTimeout)
    return `The element could not be used within ${ELEMENT_MS / 1_000} seconds: it is hidden, covered or disabled. Call read to see the page.`;
  return `${first.slice(0, 300).replace(/\.$/, '')}.`;
}
