import { setTimeout as sleep } from 'node:timers/promises';
import type { ElementHandle, Page } from 'playwright-core';
import { messageOf, ServiceError } from '../errors.ts';
import type { CollectedFile } from '../formats/format.ts';
import { screenshot } from '../formats/screenshot.ts';
import type { Action } from '../schemas/actions.ts';
import { cameraOf } from './camera.ts';
import { runApart } from './isolated-world.ts';
import { isHtml, readHtml } from './read.ts';
import { runScript } from './script.ts';
import { scrollElement, scrollPage } from './scroll.ts';
import { settle } from './settle.ts';
import type { Tab } from './tab.ts';

/** An element that an action names is waited for so long. */
const MOST_ELEMENT_MS = 10_000;
/** For an element to become free to be clicked as a visitor would. */
const MOST_CLICK_MS = 2_000;
/** What `all` clicks at most. */
const MOST_CLICKS = 100;
/** After what may change the page: a navigation has begun by then, and is waited for. */
const AFTERMATH = { quietMs: 150, mostMs: 5_000 };

/** What actions brought, each list in the order of its actions. */
export interface ActionOutcome {
  screenshots: CollectedFile[];
  scrapes: { url: string; html: string }[];
  javascriptReturns: { type: string; value: unknown }[];
  pdfs: CollectedFile[];
}

/** What actions work with. */
interface Workplace extends Tab {
  /** Its page in the hands of Playwright. */
  page: Page;
  outcome: ActionOutcome;
  /** Of everything that is read from the page, in characters. */
  budget: { characters: number };
}

type Deeds = {
  [Type in Action['type']]: (place: Workplace, action: Extract<Action, { type: Type }>) => Promise<void>;
};

const DEEDS: Deeds = {
  async wait({ page }, { milliseconds, selector }) {
    if (selector === undefined) return void (await sleep(milliseconds));
    const seen = page.locator(css(selector)).filter({ visible: true }).first();
    await seen.waitFor({ timeout: MOST_ELEMENT_MS });
  },
  async click(place, { selector, all }) {
    const found = place.page.locator(css(selector));
    const popups = place.context.popups();
    if (all) {
      // Handles, not places in a list: a click may take its element away.
      for (const each of (await found.elementHandles()).slice(0, MOST_CLICKS)) await clickIfThere(each);
    } else await click(await found.first().elementHandle({ timeout: MOST_ELEMENT_MS }));
    await aftermath(place);
    if (place.context.popups() > popups)
      place.warnings.push(`The click on ${JSON.stringify(selector)} opened another tab, which is not read.`);
  },
  async write(place, { text }) {
    if (!(await runApart(place, hasFocus, undefined)))
      throw new Error('nothing on the page has the focus. Click the field first');
    await place.page.keyboard.type(text);
    await aftermath(place);
  },
  async press(place, { key }) {
    await place.page.keyboard.press(key);
    await aftermath(place);
  },
  async scroll(place, { direction, selector }) {
    const sign = direction === 'up' ? -1 : 1;
    if (selector === undefined) await runApart(place, scrollPage, sign);
    else {
      const element = place.page.locator(css(selector)).first();
      await element.evaluate(scrollElement, sign, { timeout: MOST_ELEMENT_MS });
    }
    await aftermath(place);
  },
  async screenshot(place, { fullPage, quality, viewport }) {
    const asked = { type: 'screenshot' as const, fullPage, quality, viewport };
    place.outcome.screenshots.push(await screenshot.collect!(cameraOf(place), asked));
  },
  async scrape(place) {
    const html = await readHtml(place, place.budget.characters);
    spend(place, html.length);
    place.outcome.scrapes.push({ url: place.url(), html });
  },
  async executeJavascript(place, { script }) {
    const returned = await runScript(place.session, script);
    spend(place, JSON.stringify(returned.value).length);
    place.outcome.javascriptReturns.push(returned);
    await aftermath(place);
  },
  async pdf({ page, outcome }, { format, landscape, scale }) {
    const bytes = await page.pdf({ format, landscape, scale, printBackground: true });
    outcome.pdfs.push({ bytes, mediaType: 'application/pdf' });
  },
};

/**
 * Does the actions on the page, one after the other.
 * @param page the tab's, in the hands of Playwright
 * @param bounds.contentType of the answer that made the page
 * @param bounds.maxCharacters that may be read from it by all actions together
 * @throws ServiceError `SCRAPE_ACTION_ERROR` that names the action
 */
export async function perform(
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
  const place: Workplace = { ...tab, page, outcome, budget: { characters: maxCharacters } };
  for (const [index, action] of actions.entries()) {
    try {
      await act(place, action);
    } catch (error) {
      throw explained(error, index + 1, action);
    }
  }
  await settle(tab);
  return outcome;
}

function act<Type extends Action['type']>(place: Workplace, action: Extract<Action, { type: Type }>) {
  // The record has for each type what takes its actions.
  const deed = DEEDS[action.type] as (place: Workplace, action: Action) => Promise<void>;
  return deed(place, action);
}

/** A CSS selector, whatever else Playwright would understand. */
const css = (selector: string) => `css=${selector}`;

async function aftermath(place: Workplace): Promise<void> {
  place.traffic.touch();
  await settle(place, AFTERMATH);
}

function spend({ budget }: Workplace, characters: number): void {
  budget.characters -= characters;
  if (budget.characters < 0) {
    throw new Error(
      'together with the actions before it brings more than may be read. The operator can raise WINNOW_MAX_BODY_MB',
    );
  }
}

/** Clicks as a visitor does; what is covered or hidden is clicked all the same, as scripts do. */
async function click(element: ElementHandle): Promise<void> {
  try {
    await element.click({ timeout: MOST_CLICK_MS });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error;
    if (await element.isDisabled())
      throw new Error('the element is disabled. Do first what enables it', { cause: error });
    await element.dispatchEvent('click');
  }
}

async function clickIfThere(element: ElementHandle): Promise<void> {
  try {
    await click(element);
  } catch (error) {
    // An earlier click took it away, or it is switched off: there is nothing to click any more.
    if (!/not attached|is disabled|context was destroyed|navigat/i.test(messageOf(error))) throw error;
  }
}

/** Runs in the page. */
function hasFocus(): boolean {
  const { activeElement } = document;
  return (
    activeElement !== null && activeElement !== document.body && activeElement !== document.documentElement
  );
}

/** How it looks when not the action but the page or the browser came to its end. */
const PAGE_GONE = /^(\w+\.\w+: )?(Target (page|crashed|closed)|Page crashed|Chromium ended|the tab crashed)/i;
const BAD_SELECTOR = /not a valid selector|parsing (css )?selector|Unknown engine|Unexpected/i;

function explained(error: unknown, ordinal: number, action: Action): unknown {
  if (error instanceof ServiceError || !(error instanceof Error) || PAGE_GONE.test(error.message))
    return error;
  const on =
    'selector' in action && action.selector !== undefined ? ` on ${JSON.stringify(action.selector)}` : '';
  return new ServiceError(
    'SCRAPE_ACTION_ERROR',
    `Action ${ordinal} (${action.type}${on}) failed: ${reasonOf(error, action)}.`,
    { cause: error },
  );
}

/** What went wrong and what to do, without what Playwright adds. */
function reasonOf(error: Error, action: Action): string {
  const [first = ''] = error.message.replace(/^[a-zA-Z]+\.[a-zA-Z]+: (Error: )?/, '').split('\n');
  if (error.name === 'TimeoutError') {
    const what = action.type === 'wait' ? 'nothing that it matches was to be seen' : 'nothing matches it';
    return `${what} within ${MOST_ELEMENT_MS} ms. Check the selector, or do first what makes the element appear`;
  }
  if ('selector' in action && BAD_SELECTOR.test(error.message)) return 'it is no CSS selector. Correct it';
  if (/^Unknown key/.test(first)) return `${first}. Use a name such as Enter, Tab, a, or Control+A`;
  return first.replace(/\.$/, '');
}
