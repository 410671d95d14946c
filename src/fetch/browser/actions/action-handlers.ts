import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright';
import { z } from 'zod';
import type { CollectedFile } from '../../../content/formats/format.ts';
import { screenshot } from '../../../content/formats/screenshot.ts';
import { cssOfXPath } from '../../../content/html/css-of-xpath.ts';
import { pageFunction } from '../../../content/open-page/page-function.ts';
import { ServiceError } from '../../../errors.ts';
import type { Action } from '../../../schemas/actions.ts';
import { evaluateIsolated } from '../dom/isolated-world.ts';
import { isHtml, readHtml } from '../dom/read-html.ts';
import type { Tab } from '../tab.ts';
import { waitUntilSettled } from '../wait-until-settled.ts';
import { createScreenshotTarget } from './capture-screenshot.ts';
import { clickAll, clickFirst } from './click.ts';
import { runScript } from './run-script.ts';
import { scrollMatch, scrollPage } from './scroll.ts';

/** How long to wait for the element that an action names. */
const MAX_ELEMENT_WAIT_MS = 10_000;
/** The maximum number of elements that a click with `all` clicks. */
const MAX_CLICKS = 100;
/** How to wait after an action that may change the page. A navigation is waited for in addition. */
const SETTLE_AFTER_ACTION = { quietMs: 150, maxMs: 5_000 };

/** The results of the actions, each list in the order of its actions. */
export interface ActionOutcome {
  screenshots: CollectedFile[];
  scrapes: { url: string; html: string }[];
  javascriptReturns: { type: string; value: unknown }[];
  pdfs: CollectedFile[];
}

/** The tab and the state that the action handlers share. */
interface ActionTarget extends Tab {
  /** The same page, as Playwright controls it. */
  page: Page;
  outcome: ActionOutcome;
  /** How many characters all actions together may still read from the page. */
  budget: { characters: number };
}

type ActionHandlers = {
  [Type in Action['type']]: (target: ActionTarget, action: Extract<Action, { type: Type }>) => Promise<void>;
};

/**
 * What each action does, by its type in `schemas/actions.ts`. An error fails the scrape, with the number of
 * the action.
 * @example
 * async reload(target) {
 *   await target.page.reload();
 *   await settleAfterAction(target);
 * },
 */
const ACTION_HANDLERS: ActionHandlers = {
  async wait({ page }, { milliseconds, selector }) {
    if (selector === undefined) return void (await sleep(milliseconds));
    const visibleElement = page.locator(cssSelector(selector)).filter({ visible: true }).first();
    await visibleElement.waitFor({ timeout: MAX_ELEMENT_WAIT_MS });
  },
  async click(target, { selector, all }) {
    const matches = target.page.locator(cssSelector(selector));
    const popups = target.context.popupCount();
    if (all) await clickAll(target, selector, (await matches.elementHandles()).slice(0, MAX_CLICKS));
    else
      await clickFirst(
        target,
        selector,
        await matches.first().elementHandle({ timeout: MAX_ELEMENT_WAIT_MS }),
      );
    await settleAfterAction(target);
    if (target.context.popupCount() > popups)
      target.warnings.push(`The click on ${JSON.stringify(selector)} opened another tab, which is not read.`);
  },
  async write(target, { text }) {
    if (!(await evaluateIsolated(target, hasFocus, undefined)))
      throw new Error('nothing on the page has the focus. Click the field first');
    await target.page.keyboard.type(text);
    await settleAfterAction(target);
  },
  async press(target, { key }) {
    await target.page.keyboard.press(key);
    await settleAfterAction(target);
  },
  async scroll(target, { direction, selector }) {
    const sign = direction === 'up' ? -1 : 1;
    if (selector === undefined) await evaluateIsolated(target, scrollPage, sign);
    else {
      const element = target.page.locator(cssSelector(selector)).first();
      await element.waitFor({ state: 'attached', timeout: MAX_ELEMENT_WAIT_MS });
      // Playwright would use the world of the page, which may have replaced what it needs.
      if (!(await evaluateIsolated(target, scrollMatch, { selector, sign })))
        throw new Error('nothing matches it in the document or in one of its shadow trees');
    }
    await settleAfterAction(target);
  },
  async screenshot(target, { fullPage, quality, viewport }) {
    const requested = { type: 'screenshot' as const, fullPage, quality, viewport };
    target.outcome.screenshots.push(await screenshot.collect!(createScreenshotTarget(target), requested));
  },
  async scrape(target) {
    const html = await readHtml(target, target.budget.characters);
    consumeBudget(target, html.length);
    target.outcome.scrapes.push({ url: target.url(), html });
  },
  async executeJavascript(target, { script }) {
    const returned = await runScript(target.session, script);
    consumeBudget(target, JSON.stringify(returned.value).length);
    target.outcome.javascriptReturns.push(returned);
    await settleAfterAction(target);
  },
  async pdf({ page, outcome }, { format, landscape, scale }) {
    const bytes = await page.pdf({ format, landscape, scale, printBackground: true });
    outcome.pdfs.push({ bytes, mediaType: 'application/pdf' });
  },
};

/**
 * Performs the actions on the page, one after the other.
 * @param page the tab's page, as Playwright controls it
 * @param bounds.contentType content type of the response that produced the page
 * @param bounds.maxCharacters how many characters all actions together may read from the page
 * @throws ServiceError `SCRAPE_ACTION_ERROR` that names the action
 */
export async function performActions(
  tab: Tab,
  page: Page,
  actions: Action[],
  { contentType, maxCharacters }: { contentType: string; maxCharacters: number },
): Promise<ActionOutcome> {
  if (!isHtml(contentType)) {
    throw new ServiceError(
      'SCRAPE_ACTION_ERROR',
      `${tab.url()} is ${contentType}, not a page: nothing can be done on it. Leave actions out.`,
    );
  }
  const outcome = { screenshots: [], scrapes: [], javascriptReturns: [], pdfs: [] };
  const target: ActionTarget = { ...tab, page, outcome, budget: { characters: maxCharacters } };
  for (const [index, action] of actions.entries()) {
    try {
      await runAction(target, action);
    } catch (error) {
      throw toActionError(error, index + 1, action);
    }
  }
  await waitUntilSettled(tab);
  return outcome;
}

function runAction<Type extends Action['type']>(
  target: ActionTarget,
  action: Extract<Action, { type: Type }>,
) {
  // Each handler in the record takes actions of its own type.
  const handler = ACTION_HANDLERS[action.type] as (target: ActionTarget, action: Action) => Promise<void>;
  return handler(target, action);
}

/** Marks a selector as CSS, so that Playwright does not read it as one of its other selector engines. */
const cssSelector = (selector: string) => `css=${selector}`;

async function settleAfterAction(target: ActionTarget): Promise<void> {
  target.network.restartQuiet();
  await waitUntilSettled(target, SETTLE_AFTER_ACTION);
}

function consumeBudget({ budget }: ActionTarget, characters: number): void {
  budget.characters -= characters;
  if (budget.characters < 0) {
    throw new Error(
      'together with the actions before it brings more than may be read. The operator can raise WINNOW_MAX_BODY_MB',
    );
  }
}

/** Runs in the page. */
const hasFocus = pageFunction(z.boolean(), (_: undefined, dom) => {
  const active = dom.activeElement();
  return active !== null && active !== dom.body() && active !== dom.root();
});

/** Messages that mean that the page or the browser ended, not that the action failed. */
const PAGE_GONE = /^(\w+\.\w+: )?(Target (page|crashed|closed)|Page crashed|Chromium ended|the tab crashed)/i;
const BAD_SELECTOR = /not a valid selector|parsing (css )?selector|Unknown engine|Unexpected/i;

function toActionError(error: unknown, ordinal: number, action: Action): unknown {
  if (error instanceof ServiceError || !(error instanceof Error) || PAGE_GONE.test(error.message))
    return error;
  const on =
    'selector' in action && action.selector !== undefined ? ` on ${JSON.stringify(action.selector)}` : '';
  return new ServiceError(
    'SCRAPE_ACTION_ERROR',
    `Action ${ordinal} (${action.type}${on}) failed: ${describeFailure(error, action)}.`,
    { cause: error },
  );
}

/** The reason and the remedy, without the log that Playwright appends. */
function describeFailure(error: Error, action: Action): string {
  const [first = ''] = error.message.replace(/^[a-zA-Z]+\.[a-zA-Z]+: (Error: )?/, '').split('\n');
  if (error.name === 'TimeoutError') {
    const what = action.type === 'wait' ? 'nothing that it matches was to be seen' : 'nothing matches it';
    return `${what} within ${MAX_ELEMENT_WAIT_MS} ms. Check the selector, or do first what makes the element appear`;
  }
  if ('selector' in action && BAD_SELECTOR.test(error.message))
    return `it is no CSS selector. Write ${cssOfXPath(action.selector ?? '') ?? 'one such as button.more'}; a button with a text is found by button:has-text("More"), and XPath and text=… are not supported`;
  if (/^Unknown key/.test(first)) return `${first}. Use a name such as Enter, Tab, a, or Control+A`;
  return first.replace(/\.$/, '');
}
