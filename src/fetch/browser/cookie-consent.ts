import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type library from '@duckduckgo/autoconsent';
import {
  type CompactCMPRuleset,
  type Config,
  filterCompactRules,
  type IndexedCMPRuleset,
} from '@duckduckgo/autoconsent';
import { z } from 'zod';
import type { PageDom, PageElement } from '../../content/open-page/page-dom.ts';
import { pageFunction } from '../../content/open-page/page-function.ts';
import type { Logger } from '../../system/logger.ts';
import {
  filterMatching,
  NOTICE_GLOBALS,
  NOTICE_WORDS,
  overlayHasWord,
  possibleNotices,
} from './cookie-notice-signs.ts';
import { createSelectorCheck, type ElementNames, readElementNames } from './dom/element-names.ts';
import { listFrames, type PageFrame } from './dom/frames.ts';
import { type IsolatedWorld, openIsolatedWorld } from './dom/isolated-world.ts';
import { takeOptionalStep } from './optional-step.ts';
import type { Tab } from './tab.ts';

/** How long the detection may take. A notice that is present is found within this time. */
const FIND_MS = 1_000;
/** How long rejecting may take; it can need several clicks with pauses. */
const REJECT_MS = 6_000;
/** On pages with more child frames, the frames are not searched for notices. */
const MAX_FRAMES = 8;

const CONFIG = {
  enabled: true,
  enablePrehide: false,
  enableHeuristicDetection: false,
  heuristicMode: 'tier2',
  isMainWorld: false,
  logs: {
    lifecycle: false,
    rulesteps: false,
    detectionsteps: false,
    evals: false,
    errors: false,
    messages: false,
    waits: false,
  },
} satisfies Partial<Config>;

const require = createRequire(import.meta.url);
let autoconsent: { library: string; rules: IndexedCMPRuleset } | undefined;

/** Loads the library and its rules when the first page needs them. */
function loadAutoconsent() {
  autoconsent ??= {
    library: readFileSync(require.resolve('@duckduckgo/autoconsent'), 'utf8'),
    rules: require('@duckduckgo/autoconsent/rules/compact-rules.json'),
  };
  return autoconsent;
}

/** A frame that may show a cookie notice. */
interface SuspectedFrame extends PageFrame {
  rules: CompactCMPRuleset;
}

/** The result of looking for cookie notices in a page. */
export interface NoticeSearch {
  /**
   * The names in the page, valid as long as nothing changes in it; absent if the page has just been replaced.
   */
  names: ElementNames | undefined;
  /** The frames that may show a notice, first of all the page itself. */
  suspected: SuspectedFrame[];
}

/**
 * Finds the frames of a settled page that may show a cookie notice, which costs much less than the library,
 * so that most pages need not run it. The search runs once the page has settled instead of while it loads, so
 * pages without a notice do not have to wait for one. A frame that cannot be searched counts as one without a
 * notice.
 */
export async function searchCookieNotices(tab: Tab): Promise<NoticeSearch> {
  const [page, ...frames] = await listFrames(tab);
  const childFrames = frames.filter(({ url, level }) => level === 1 && /^https?:/.test(url));
  const searched = [...(page ? [page] : []), ...(childFrames.length > MAX_FRAMES ? [] : childFrames)];
  const found = await Promise.all(
    searched.map((frame) =>
      takeOptionalStep(tab.logger, 'a frame is read with the cookie notices that it may show', () =>
        searchFrame(frame),
      ),
    ),
  );
  const suspected = searched.flatMap((frame, index) => {
    const rules = found[index]?.rules;
    return rules ? [{ ...frame, rules }] : [];
  });
  return { names: found[0]?.names, suspected };
}

/** @returns the names in the frame, and rules if it may show a notice */
async function searchFrame(frame: PageFrame): Promise<{ names: ElementNames; rules?: CompactCMPRuleset }> {
  const { session, url, level, isSessionRoot } = frame;
  const isPage = level === 0;
  const world = await openIsolatedWorld(session, frame.frameId);
  const [names, hasWord, hasGlobal] = await Promise.all([
    readElementNames(world.call),
    // The library recognises unknown notices only in the page itself.
    isPage && world.call(overlayHasWord, NOTICE_WORDS),
    isSessionRoot && hasNoticeGlobal(world),
  ]);
  const signs = { url, overlayHasWord: hasWord, hasGlobal };
  const applicable = filterCompactRules(loadAutoconsent().rules, { url, mainFrame: isPage });
  const possible = possibleNotices(applicable, signs, createSelectorCheck(names));
  if (!possible) return { names };
  const { selectors } = possible;
  const matching = new Set((await world.call(filterMatching, selectors)).map((index) => selectors[index]));
  const notices = possibleNotices(possible.rules, signs, (selector) => matching.has(selector));
  return { names, ...(notices && { rules: notices.rules }) };
}

/** Looks among the page's own globals. */
const hasNoticeGlobal = (world: IsolatedWorld) =>
  world.isTrueInMainWorld(NOTICE_GLOBALS.map((name) => `globalThis.${name}`).join(' || '));

/**
 * Rejects the cookie notice of a page and removes it from the document, because rejected notices often stay
 * there hidden.
 * @param suspected the frames that may show one
 * @returns whether there was a notice; the page may then change again
 */
export async function rejectCookieNotice(
  suspected: SuspectedFrame[],
  logger: Pick<Logger, 'warn'>,
): Promise<boolean> {
  const [first, ...rest] = suspected;
  if (first?.level === 0) return (await rejectInFrame(first, logger)) || rejectCookieNotice(rest, logger);
  return (await Promise.all(suspected.map((frame) => rejectInFrame(frame, logger)))).includes(true);
}

async function rejectInFrame(
  { session, frameId, rules, isSessionRoot }: SuspectedFrame,
  logger: Pick<Logger, 'warn'>,
): Promise<boolean> {
  const { library } = loadAutoconsent();
  const options = { rules, config: CONFIG, FIND_MS, REJECT_MS };
  const isRejected = await takeOptionalStep(logger, 'a page is read with its cookie notice', async () => {
    const world = await openIsolatedWorld(session, frameId);
    // Only the session's main frame has the globals that `isTrueInMainWorld` uses.
    if (isSessionRoot) await world.listen('winnowAsk', (text) => void answerEvalRequest(world, text, logger));
    return world.isTrue(`(() => {
      const module = { exports: {} };
      ((module, exports) => { ${library}
      })(module, module.exports);
      return (${rejectInPage})(module.exports.default, ${JSON.stringify(options)}, dom);
    })()`);
  });
  // The rejection may have reloaded the page.
  return isRejected ?? true;
}

/** A request of the library for code to be evaluated among the page's own globals. */
const EvalRequest = z.object({ id: z.string().max(100), code: z.string().max(100_000) });

interface EvalResponse {
  type: 'evalResp';
  id: string;
  result: boolean;
}

/**
 * Evaluates code for the library among the page's own globals, where some notices keep the functions that
 * control them.
 * @param request was written by `rejectInPage`
 */
async function answerEvalRequest(
  world: IsolatedWorld,
  request: string,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  await takeOptionalStep(logger, 'a cookie notice is not asked whether it was answered', async () => {
    const { id, code } = EvalRequest.parse(JSON.parse(request));
    const result = await world.isTrueInMainWorld(code);
    await world.call(answerInPage, { type: 'evalResp', id, result });
  });
}

/** What the functions for rejecting a notice keep in the isolated world. */
interface AskingConsent {
  /** Takes the response to a request. */
  receive?(response: EvalResponse): unknown;
}

/** Runs in the page. */
const answerInPage = pageFunction(z.void(), (response: EvalResponse, dom) => {
  dom.keep<AskingConsent>('consent', () => ({})).receive?.(response);
});

/** The class of the library, whose types describe the package as CommonJS. */
type Library = typeof library.default;

/**
 * A notice that the library found. A notice that only the heuristic recognised carries its elements in
 * `popups`.
 */
type Notice = NonNullable<InstanceType<Library>['foundCmp']> & { popups?: { element: PageElement }[] };

/** Runs in the page. */
async function rejectInPage(
  Library: Library,
  options: { rules: CompactCMPRuleset; config: Config; FIND_MS: number; REJECT_MS: number },
  dom: PageDom,
): Promise<boolean> {
  const withTimeout = <Result>(ms: number, work: Promise<Result>) =>
    Promise.race([work, new Promise<undefined>((resolve) => setTimeout(resolve, ms))]);
  const world = globalThis as { winnowAsk?(request: string): void };
  // Where the function is missing, an element with its name would take its place.
  const ask = Object.hasOwn(world, 'winnowAsk') ? world.winnowAsk : undefined;

  class Consent extends Library {
    override start(): void {
      // Detection is started explicitly below.
    }
  }
  const consent = new Consent(
    async (message) => {
      if (message.type === 'eval') ask?.(JSON.stringify(message));
    },
    options.config,
    { autoconsent: [], compact: options.rules },
  );
  dom.keep<AskingConsent>('consent', () => ({})).receive = (response) =>
    consent.receiveMessageCallback(response);

  // The library runs its heuristic on every second attempt only; this makes the first attempt the second.
  consent.state.findCmpAttempts = 1;
  const find = async () => {
    for (const notice of await consent.findCmp(0)) if (await notice.detectPopup()) return notice;
    return undefined;
  };
  const notice: Notice | undefined = await withTimeout(options.FIND_MS, find());
  if (!notice) return false;
  consent.foundCmp = notice;
  // A notice that the heuristic says can only be accepted is removed without being answered.
  if (notice.name !== 'HEURISTIC-TIER2') await withTimeout(options.REJECT_MS, notice.optOut());

  const removeAll = (selector: string) => {
    for (const element of dom.findAll(selector)) dom.removeUnlessBody(element);
  };
  for (const { element } of notice.popups ?? []) dom.removeUnlessBody(element);
  for (const selector of notice.prehideSelectors ?? []) if (selector) removeAll(selector);
  // The rules hide elements by a style sheet, which is replaced by removing those elements.
  for (const style of dom.findAll('style#autoconsent-css-rules')) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(dom.textContent(style) ?? '');
    for (const rule of sheet.cssRules) if (rule instanceof CSSStyleRule) removeAll(rule.selectorText);
    dom.remove(style);
  }
  return true;
}
