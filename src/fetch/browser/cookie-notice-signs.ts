import type { CompactCMPRule, CompactCMPRuleset } from '@duckduckgo/autoconsent';
import { z } from 'zod';
import type { PageElement } from '../../content/open-page/page-dom.ts';
import { pageFunction } from '../../content/open-page/page-function.ts';
import type { SelectorCheck } from './dom/element-names.ts';

/**
 * Words of which one stands in every text by which the library recognises a notice that it has no rule for.
 * The last one is of a notice that it knows by its text.
 */
export const NOTICE_WORDS = [
  ...['cookie', 'accept', 'reject', 'refuse', 'consent', 'privacy', 'partner', 'information', 'personalised'],
  ...['partenaires', 'stocker', 'publicités', 'nécessaires', 'essentielles'],
  ...['akzeptieren', 'ablehnen', 'erlauben', 'weiter', 'auswahl', 'technologien', 'werbeleistung'],
  ...['alles', 'weiger', 'doorgaan', 'noodzakelijk'],
  ...['dispositivo', 'galetes', 'używa', 'informacj', 'ciastecz', 'dzięki'],
  'admiral',
];

/**
 * The notices for which the library has code instead of rules: the elements of which one is in a page with
 * such a notice.
 */
export const CODED_NOTICES: Record<string, string> = {
  admiral:
    'div > div[class*=Card] > div[class*=Frame] > div[class*=Pills] > button[class*=Pills__StyledPill]',
  consentmanager: '#cmpbox',
  conversant: '.cmp-root .cmp-receptacle',
  evidon: '#_evidon_banner',
  klaro: '.klaro > .cookie-modal, .klaro > .cookie-notice',
  onetrust: '#onetrust-banner-sdk, #onetrust-pc-sdk',
  tiktok: 'tiktok-cookie-banner',
  'trustarc-top': '#truste-show-consent, #truste-consent-track',
  'tumblr-com': '#cmp-app-container',
  uniconsent: '.unic .unic-box, .unic .unic-bar, .unic .unic-modal',
};

/** Frames of notices that the library recognises by their URL (Sourcepoint). */
const NOTICE_FRAME = /^https?:\/\/(?:ccpa-(?:notice|pm)\.sp-prod\.net|[^/]+(?:\/[^/?#]+)?\/index\.html\?)/;

/**
 * Functions of notices among the globals of a page; `cookiebot` and `consentmanager` are recognised by them.
 */
export const NOTICE_GLOBALS = ['Cookiebot', '__cmp', 'GDPR_LC'];

/** Signs of a cookie notice in a frame, beside its elements. */
export interface NoticeSigns {
  url: string;
  /** Whether something that lies over the page has one of {@link NOTICE_WORDS}. */
  overlayHasWord: boolean;
  /**
   * Whether it has one of {@link NOTICE_GLOBALS}; always false for a frame within the process of its page.
   */
  hasGlobal: boolean;
}

/** The notices that a frame may show. */
export interface PossibleNotices {
  /** The rules for them. */
  rules: CompactCMPRuleset;
  /** Selectors for the elements by which rules and code recognise them. */
  selectors: string[];
}

/**
 * Decides which notices a frame may show.
 * @param rules the rules that apply to the frame
 * @param canMatch whether a selector may match something in the frame
 * @returns `undefined` if it shows none, not even one that no rule describes
 */
export function possibleNotices(
  rules: CompactCMPRuleset,
  signs: NoticeSigns,
  canMatch: SelectorCheck,
): PossibleNotices | undefined {
  const possible = rules.r.filter(([, , , , , , detection]) =>
    detection.every((step) => isPossible(step, rules.s, { canMatch, hasGlobal: signs.hasGlobal })),
  );
  const selectors = [
    ...possible.flatMap(([, , , , , , detection]) => detection.flatMap((step) => selectorsOf(step, rules.s))),
    ...Object.values(CODED_NOTICES),
  ].filter(canMatch);
  const isSuspected =
    possible.length > 0 ||
    selectors.length > 0 ||
    signs.overlayHasWord ||
    signs.hasGlobal ||
    NOTICE_FRAME.test(signs.url);
  return isSuspected ? { rules: { ...rules, r: possible }, selectors } : undefined;
}

type Step = CompactCMPRule[6][number];

/** Whether a step by which a rule recognises its notice may succeed. */
function isPossible(
  step: Step,
  strings: string[],
  signs: { canMatch: SelectorCheck; hasGlobal: boolean },
): boolean {
  if (step.negated) return true;
  if (step.any) return step.any.some((each) => isPossible(each, strings, signs));
  // The only code that a rule runs without looking for an element as well looks for a global.
  if (step.eval === 'EVAL_GDPR_LEGAL_COOKIE_DETECT_CMP') return signs.hasGlobal;
  return selectorsOf(step, strings).every(signs.canMatch);
}

/** The selectors of elements that a step looks for. */
function selectorsOf(step: Step, strings: string[]): string[] {
  if (step.any) return step.any.flatMap((each) => selectorsOf(each, strings));
  const place = step.e ?? step.v ?? step.w ?? step.wv;
  const selector = place === undefined ? (step.exists ?? step.visible) : strings[place];
  // A chain of selectors may lead into a frame or a shadow tree, but its first element is in the document.
  const first = typeof selector === 'object' ? selector[0] : selector;
  if (first === undefined) return [];
  return [first.startsWith('xpath/') ? idsOf(first) : first];
}

/** A selector for the elements whose ids an XPath requires. */
const idsOf = (xpath: string) =>
  ['*', ...[...xpath.matchAll(/@id=["']([\w-]+)["']/g)].map(([, id]) => `#${id}`)].join(' ');

/**
 * Runs in the page: the indexes of those of the selectors that match something, or that it does not
 * understand.
 */
export const filterMatching = pageFunction(z.array(z.int()).max(10_000), (selectors: string[], dom) =>
  selectors.flatMap((selector, index) => {
    try {
      return dom.find(selector) ? [index] : [];
    } catch {
      return [index];
    }
  }),
);

/** Runs in the page: whether an element that lies over it has one of the words in its text. */
export const overlayHasWord = pageFunction(z.boolean(), (words: string[], dom): boolean => {
  const body = dom.body();
  const text = (body && dom.textContent(body))?.toLowerCase() ?? '';
  const found = words.filter((word) => text.includes(word));
  if (!body || !found.length) return false;
  const visited = new Set<PageElement>();
  const isOverlay = (element: PageElement) =>
    /^(?:fixed|sticky)$/.test(dom.style(element).position) ||
    dom.matches(element, 'dialog[open], [role="dialog"], [aria-modal="true"]');
  const isInOverlay = (start: PageElement | null) => {
    for (let element = start; element && element !== body; element = dom.parentElement(element)) {
      if (visited.has(element)) return false;
      visited.add(element);
      if (isOverlay(element)) return true;
    }
    return false;
  };
  const walker = dom.walker(body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const lowerCase = dom.nodeValue(node)?.toLowerCase() ?? '';
    const hasWord = found.some((word) => lowerCase.includes(word));
    if (hasWord && isInOverlay(dom.parentElement(node))) return true;
  }
  return false;
});
