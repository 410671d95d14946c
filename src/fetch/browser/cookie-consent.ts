import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type library from '@duckduckgo/autoconsent';
import {
  type CompactCMPRuleset,
  type Config,
  filterCompactRules,
  type IndexedCMPRuleset,
} from '@duckduckgo/autoconsent';
import type { Logger } from '../../system/logger.ts';
import { Disconnected, type Session } from './chromium/cdp.ts';
import {
  filterMatching,
  NOTICE_GLOBALS,
  NOTICE_WORDS,
  overlayHasWord,
  possibleNotices,
} from './cookie-notice-signs.ts';
import { createSelectorCheck, type ElementNames, readElementNames } from './dom/element-names.ts';
import { listFrames, type PageFrame } from './dom/frames.ts';
import { type IsolatedWorld, isBetweenDocuments, openIsolatedWorld } from './dom/isolated-world.ts';
import { createPageDom, type PageDom } from './dom/page-dom.ts';
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
 * pages without a notice do not have to wait for one.
 * @param logger logs a search that failed, after which the frame counts as one without a notice
 */
export async function searchCookieNotices(tab: Tab, logger: Pick<Logger, 'warn'>): Promise<NoticeSearch> {
  const [page, ...frames] = await listFrames(tab);
  const childFrames = frames.filter(({ url, level }) => level === 1 && /^https?:/.test(url));
  const searched = [...(page ? [page] : []), ...(childFrames.length > MAX_FRAMES ? [] : childFrames)];
  const found = await Promise.all(searched.map((frame) => searchFrame(frame, logger)));
  const suspected = searched.flatMap((frame, index) => {
    const rules = found[index]?.rules;
    return rules ? [{ ...frame, rules }] : [];
  });
  return { names: found[0]?.names, suspected };
}

/**
 * @returns `undefined` if the frame is navigating or cannot be searched; without rules if it shows no notice
 */
async function searchFrame(
  frame: PageFrame,
  logger: Pick<Logger, 'warn'>,
): Promise<{ names: ElementNames; rules?: CompactCMPRuleset } | undefined> {
  const { session, url, level, isSessionRoot } = frame;
  const isPage = level === 0;
  try {
    const world = await openIsolatedWorld(session, frame.frameId);
    const [names, hasWord, hasGlobal] = await Promise.all([
      readElementNames(world.call),
      // The library recognises unknown notices only in the page itself.
      isPage && world.call(overlayHasWord, NOTICE_WORDS),
      isSessionRoot && hasNoticeGlobal(session),
    ]);
    const signs = { url, overlayHasWord: hasWord, hasGlobal };
    const applicable = filterCompactRules(loadAutoconsent().rules, { url, mainFrame: isPage });
    const possible = possibleNotices(applicable, signs, createSelectorCheck(names));
    if (!possible) return { names };
    const matching = new Set(await world.call(filterMatching, possible.selectors));
    const notices = possibleNotices(possible.rules, signs, (selector) => matching.has(selector));
    return { names, ...(notices && { rules: notices.rules }) };
  } catch (error) {
    if (!isBetweenDocuments(error) && !(error instanceof Disconnected))
      logger.warn(
        { err: error, url },
        'a frame could not be searched for cookie notices and is read as it is',
      );
    return undefined;
  }
}

/** Looks among the page's own globals. */
async function hasNoticeGlobal(session: Session): Promise<boolean> {
  const expression = `${JSON.stringify(NOTICE_GLOBALS)}.some((name) => globalThis[name])`;
  return (await session.send('Runtime.evaluate', { expression, returnByValue: true })).result.value === true;
}

/**
 * Rejects the cookie notice of a page and removes it from the document, because rejected notices often stay
 * there hidden.
 * @param suspected the frames that may show one
 * @returns whether there was a notice; the page may then change again
 */
export async function rejectCookieNotice(suspected: SuspectedFrame[]): Promise<boolean> {
  const [first, ...rest] = suspected;
  if (first?.level === 0) return (await rejectInFrame(first)) || rejectCookieNotice(rest);
  return (await Promise.all(suspected.map(rejectInFrame))).includes(true);
}

async function rejectInFrame({ session, frameId, rules, isSessionRoot }: SuspectedFrame): Promise<boolean> {
  const { library } = loadAutoconsent();
  const options = { rules, config: CONFIG, FIND_MS, REJECT_MS };
  try {
    const world = await openIsolatedWorld(session, frameId);
    // `evaluateInMainWorld` uses the globals of the session's main frame, so only that frame may ask for it.
    if (isSessionRoot) await world.listen('winnowAsk', (text) => void answerEvalRequest(world, text));
    return await world.evaluate(`(() => {
      const module = { exports: {} };
      ((module, exports) => { ${library}
      })(module, module.exports);
      return (${rejectInPage})(module.exports.default, ${JSON.stringify(options)}, (${createPageDom})());
    })()`);
  } catch {
    // The rejection may have reloaded the page. A page whose notice could not be rejected is still worth
    // reading.
    return true;
  }
}

/**
 * Evaluates code for the library among the page's own globals, where some notices keep the functions that
 * control them.
 */
async function answerEvalRequest(world: IsolatedWorld, request: string): Promise<void> {
  // The message was written by `rejectInPage`.
  const { id, code } = JSON.parse(request) as { id: string; code: string };
  const result = await world.evaluateInMainWorld(code).catch(() => false);
  const response = JSON.stringify({ type: 'evalResp', id, result });
  // The document may be gone, and with it the caller.
  await world.evaluate(`winnowAnswer(${response})`).catch(() => undefined);
}

/** The class of the library, whose types describe the package as CommonJS. */
type Library = typeof library.default;

/**
 * A notice that the library found. A notice that only the heuristic recognised carries its elements in
 * `popups`.
 */
type Notice = NonNullable<InstanceType<Library>['foundCmp']> & { popups?: { element: HTMLElement }[] };

/** Runs in the page. */
async function rejectInPage(
  Library: Library,
  options: { rules: CompactCMPRuleset; config: Config; FIND_MS: number; REJECT_MS: number },
  dom: PageDom,
): Promise<boolean> {
  const withTimeout = <Result>(ms: number, work: Promise<Result>) =>
    Promise.race([work, new Promise<undefined>((resolve) => setTimeout(resolve, ms))]);
  const world = globalThis as unknown as {
    winnowAsk?(request: string): void;
    winnowAnswer: InstanceType<Library>['receiveMessageCallback'];
  };

  class Consent extends Library {
    override start(): void {
      // Detection is started explicitly below.
    }
  }
  const consent = new Consent(
    async (message) => {
      if (message.type === 'eval') world.winnowAsk?.(JSON.stringify(message));
    },
    options.config,
    { autoconsent: [], compact: options.rules },
  );
  world.winnowAnswer = (response) => consent.receiveMessageCallback(response);

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
    sheet.replaceSync(style.textContent ?? '');
    for (const rule of sheet.cssRules) if (rule instanceof CSSStyleRule) removeAll(rule.selectorText);
    style.remove();
  }
  return true;
}
