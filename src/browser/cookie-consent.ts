import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type library from '@duckduckgo/autoconsent';
import {
  type CompactCMPRuleset,
  type Config,
  filterCompactRules,
  type IndexedCMPRuleset,
} from '@duckduckgo/autoconsent';
import { type PageFrame, listFrames } from './frames.ts';
import { type IsolatedWorld, openIsolatedWorld } from './isolated-world.ts';
import type { Tab } from './tab.ts';

/** A notice that stands there is found within this; what takes longer waits for one that may never come. */
const FIND_MS = 1_000;
/** Saying no may take several clicks, with pauses. */
const REJECT_MS = 6_000;
/** Pages with more frames than this have them for something else. */
const MAX_FRAMES = 8;

const CONFIG = {
  enabled: true,
  enablePrehide: false,
  enableHeuristicDetection: false,
  heuristicMode: 'tier2',
  isMainWorld: false,
  logs: {
    ...{ lifecycle: false, rulesteps: false, detectionsteps: false },
    ...{ evals: false, errors: false, messages: false, waits: false },
  },
} satisfies Partial<Config>;

const require = createRequire(import.meta.url);
let autoconsent: { library: string; rules: IndexedCMPRuleset } | undefined;

/** Read when the first page needs it. */
function loadAutoconsent() {
  autoconsent ??= {
    library: readFileSync(require.resolve('@duckduckgo/autoconsent'), 'utf8'),
    rules: require('@duckduckgo/autoconsent/rules/compact-rules.json'),
  };
  return autoconsent;
}

/**
 * Rejects the cookie notice of a settled page and takes it out of the document, in which notices that were answered
 * stay hidden. It is looked for once the page has settled instead of while it loads: what stands there then is all
 * that the page shows, so that pages without a notice need not be watched for one that might still come.
 * @returns whether there was one; the page may stir again then
 */
export async function rejectCookieNotice(tab: Tab): Promise<boolean> {
  const [page, ...frames] = await listFrames(tab);
  if (page && (await rejectInFrame(page))) return true;
  const childFrames = frames.filter(({ url, level }) => level === 1 && /^https?:/.test(url));
  if (childFrames.length > MAX_FRAMES) return false;
  const results = await Promise.all(childFrames.map(rejectInFrame));
  return results.includes(true);
}

async function rejectInFrame({ session, frameId, url, level, isSessionRoot }: PageFrame): Promise<boolean> {
  const { library, rules } = loadAutoconsent();
  const mainFrame = level === 0;
  const options = { rules: filterCompactRules(rules, { url, mainFrame }), config: CONFIG, FIND_MS, REJECT_MS };
  try {
    const world = await openIsolatedWorld(session, frameId);
    // The page's own globals are those of the session's main frame.
    if (isSessionRoot) await world.listen('winnowAsk', (text) => void answerEvalRequest(world, text));
    return await world.evaluate(`(() => {
      const module = { exports: {} };
      ((module, exports) => { ${library}
      })(module, module.exports);
      return (${rejectInPage})(module.exports.default, ${JSON.stringify(options)});
    })()`);
  } catch {
    // The answer may have loaded the page anew; and it is worth reading with its notice, too.
    return true;
  }
}

/** Some notices can only be spoken to by functions of theirs, which are with the page's own globals. */
async function answerEvalRequest(world: IsolatedWorld, request: string): Promise<void> {
  // Asked by `rejectHere`.
  const { id, code } = JSON.parse(request) as { id: string; code: string };
  const result = await world.evaluateInMainWorld(code).catch(() => false);
  const response = JSON.stringify({ type: 'evalResp', id, result });
  // Nobody waits for it when the document is gone.
  await world.evaluate(`winnowAnswer(${response})`).catch(() => undefined);
}

/** The library's class; its types take the package for a CommonJS one. */
type Library = typeof library.default;

/** A notice as the library knows it; of a kind that no rule knows, with its elements. */
type Notice = NonNullable<InstanceType<Library>['foundCmp']> & { popups?: { element: HTMLElement }[] };

/** Runs in the page. */
async function rejectInPage(
  Library: Library,
  options: { rules: CompactCMPRuleset; config: Config; FIND_MS: number; REJECT_MS: number },
): Promise<boolean> {
  const withTimeout = <Result>(ms: number, work: Promise<Result>) =>
    Promise.race([work, new Promise<undefined>((resolve) => setTimeout(resolve, ms))]);
  const world = globalThis as unknown as {
    winnowAsk?(request: string): void;
    winnowAnswer: InstanceType<Library>['receiveMessageCallback'];
  };

  class Consent extends Library {
    override start(): void {
      // It looks when it is told to.
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

  // Only every second look is for notices of kinds that no rule knows: this makes it the second.
  consent.state.findCmpAttempts = 1;
  const find = async () => {
    for (const notice of await consent.findCmp(0)) if (await notice.detectPopup()) return notice;
    return undefined;
  };
  const notice: Notice | undefined = await withTimeout(options.FIND_MS, find());
  if (!notice) return false;
  consent.foundCmp = notice;
  // What can only be accepted is neither: it goes without an answer.
  if (notice.name !== 'HEURISTIC-TIER2') await withTimeout(options.REJECT_MS, notice.optOut());

  const removeAll = (selector: string) => {
    for (const element of document.querySelectorAll(selector)) {
      if (!element.contains(document.body)) element.remove();
    }
  };
  for (const { element } of notice.popups ?? []) element.remove();
  for (const selector of notice.prehideSelectors ?? []) if (selector) removeAll(selector);
  // What the rules hide they hide by a style sheet in the page.
  for (const style of document.querySelectorAll('style#autoconsent-css-rules')) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style.textContent ?? '');
    for (const rule of sheet.cssRules) if (rule instanceof CSSStyleRule) removeAll(rule.selectorText);
    style.remove();
  }
  return true;
}
