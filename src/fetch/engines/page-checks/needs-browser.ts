import { isPlaceholder } from '../../../content/html/placeholder.ts';
import { asciiView, beginningOf, type SourceText } from '../../../content/source-text.ts';
import { scanTags, type TagHandler } from './scan-tags.ts';

/**
 * Whether unrendered HTML is only a shell that scripts fill, so that the browser has to render it. The
 * decision depends on the amount of content, which is text outside of headers, footers, navigation and
 * similar parts. Those parts do not count, because shells often contain them.
 *
 * - A page whose text is in frames or shadow trees needs the browser.
 * - A page without scripts that could fill it does not. Data blocks and analytics do not count as such
 *   scripts.
 * - A page needs the browser when an application's mount point or `<main>` is nearly empty, or when it has
 *   unfilled templates.
 * - Otherwise the amount of content decides. More is required where something is still loading or a custom
 *   element is empty, and most where the page says that it needs JavaScript. A placeholder is never enough.
 */
export function needsBrowser(text: SourceText): boolean {
  const tags = asciiView(text);
  if (SHADOW_TREE.test(tags)) return true;
  const beginning = readContentSignals(beginningOf(text, BEGINNING_CHARACTERS).toLowerCase());
  // After this much content only an empty mount point can show that the page is a shell.
  if (beginning.content >= MIN_WHEN_SCRIPTS_REQUIRED && !beginning.isUnfilled && !MOUNT_POINT.test(tags))
    return false;
  const found = readContentSignals(beginningOf(text, JUDGED_CHARACTERS).toLowerCase());
  if (found.hasFrames && found.content < MIN_CONTENT) return true;
  if (!found.hasScripts) return false;
  if (found.isUnfilled) return true;
  if (found.content < MIN_CONTENT && isPlaceholder({ ...found, title: '', hasSpinner: found.isLoading }))
    return true;
  if (found.asksForScripts) return found.content < MIN_WHEN_SCRIPTS_REQUIRED;
  if (found.isLoading) return found.content < MIN_WHILE_LOADING;
  return found.content < (found.isServed ? MIN_WHEN_SERVER_RENDERED : MIN_CONTENT);
}

/** Whether HTML has a nearly empty mount point or `<main>`, or unfilled templates. */
export const isUnfilledShell = (text: SourceText): boolean =>
  readContentSignals(beginningOf(text, JUDGED_CHARACTERS).toLowerCase()).isUnfilled;

/** A page with scripts and fewer characters of content is considered an empty shell. */
const MIN_CONTENT = 250;
/** The same minimum for a page where something is still loading. */
const MIN_WHILE_LOADING = 500;
/** The same minimum for a page that says it needs JavaScript. */
const MIN_WHEN_SCRIPTS_REQUIRED = 1_000;
/** Minimum characters of content in a mount point or `<main>`; with less, it counts as empty. */
const MIN_INSIDE = 200;
/**
 * Replaces `MIN_CONTENT` and `MIN_INSIDE` for server-rendered pages, which are complete even if they are
 * short.
 */
const MIN_WHEN_SERVER_RENDERED = 60;
/**
 * The first characters of a page, which are checked first because they are enough to decide about most pages.
 */
const BEGINNING_CHARACTERS = 12_000;
/** Maximum characters of a page that are read. */
const JUDGED_CHARACTERS = 500_000;
/**
 * Inline scripts with more characters count as programs that may fill the page, even if they mention
 * analytics.
 */
const SNIPPET_CHARACTERS = 2_000;

const VOID_ELEMENTS = new Set([
  'meta',
  'link',
  'input',
  'img',
  'br',
  'hr',
  'source',
  'base',
  'area',
  'col',
  'embed',
  'wbr',
]);
/** Elements around the content. Their text is not counted, because many shells contain it. */
const BOILERPLATE_ELEMENTS = new Set(['header', 'footer', 'nav', 'aside', 'button', 'dialog']);
/** The same parts by their class names. */
const BOILERPLATE_CLASS =
  /^(?:site-|page-|main-|global-|app-)?(?:header|footer|nav|navbar|navigation|menu|topbar|top-bar|bottom|bottom-bar|sidebar|breadcrumbs?|cookies?|cookie-(?:banner|bar|consent|notice)|copyright|legal)$/;
const CONTAINERS = new Set(['div', 'ul', 'ol', 'section', 'p', 'span', 'li']);
const IS_BUSY = /\saria-busy\s*=\s*["']?true/;
const IS_MAIN = /\srole\s*=\s*["']?main\b/;
const LOADING_CLASS = /(?:^|[-_])(?:skeleton|spinner|loader|loading|preloader|shimmer|splash)(?:$|[-_])/;

/** IDs of mount points (elements that scripts fill) in the default templates of frameworks. */
const MOUNT_ID =
  '(?:__next|__nuxt|___gatsby|svelte|application|(?:react|vue|main|spa|web|client|page|site|ember|q|single-spa)?[-_]?(?:root|app)|(?:root|app)[-_]?(?:root|container|mount|shell|view|wrapper))';
const MOUNT_TAG = '(?:app-root|my-app|main-app|ion-app|root-app)';
const MOUNT_POINT = new RegExp(`\\bid\\s*=\\s*["']?${MOUNT_ID}(?:["'\\s/>]|$)|<${MOUNT_TAG}[\\s>]`, 'i');
const IS_MOUNT = new RegExp(`\\sid\\s*=\\s*["']?${MOUNT_ID}(?:["'\\s/>]|$)|^${MOUNT_TAG}(?:\\s|$)`);
/** Attributes in HTML that a framework rendered on the server. */
const SERVER_RENDERED =
  /data-reactroot|data-server-rendered|ng-server-context|data-sveltekit-hydrate|data-svelte-h|gatsby-focus-wrapper|data-ssr|data-hydrat/;
const SERVER_RENDERED_COMMENT = /^(?:\[|\$$|ssr)/;
/** React's comment that marks a part of the page that is still loading. */
const PENDING_COMMENT = /^\$[?!]/;
const TEMPLATE_ATTRIBUTE = /\s(?:data-)?ng-(?:app|cloak|controller)|\s[vx]-(?:cloak|for|text)[\s=]/;
/**
 * Tested on an {@link asciiView}, in which the attributes before `shadowrootmode` may be up to three times as
 * long.
 */
const SHADOW_TREE = /<template[^<>]{0,800}[\t\n\f\r ]shadowrootmode/i;
const ASKS_FOR_SCRIPTS =
  /\b(enable|activate|requires?|turn on|need|without)\b[\s\S]{0,80}?\bjavascript\b|\bjavascript\b[\s\S]{0,80}?\b(enabled?|required|disabled)\b/;

const SCRIPT_TYPE = /\stype\s*=\s*["']?([^"'\s>]*)/;
const EXECUTABLE_TYPE = /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma)script)?$/;
/** Scripts for analytics and cookie consent. Pages are complete without them. */
const ANALYTICS =
  /google-?analytics|googletagmanager|googlesyndication|doubleclick|\bgtag\(|datalayer|plausible|matomo|_paq|piwik|umami|usefathom|goatcounter|clarity\.ms|\bclarity\(|hotjar|\bhj\(|\bfbq\(|connect\.facebook|cloudflareinsights|cdn-cgi\/|newrelic|nreum|sentry-cdn|segment\.com|hs-scripts|cookiebot|onetrust|cookieconsent|_hmt|hm\.baidu|mc\.yandex|\bym\(|livereload|email-decode/;
/** Scripts that set the appearance of the page before it is displayed, such as a color theme. */
const SETS_APPEARANCE = /^[\s\S]{0,400}documentelement\.(?:classname|classlist|dataset|setattribute)/;

function mayFillPage(tag: string, inside: string): boolean {
  if (!EXECUTABLE_TYPE.test(SCRIPT_TYPE.exec(tag)?.[1] ?? '')) return false;
  if (/\ssrc\s*=/.test(tag)) return !ANALYTICS.test(tag);
  const isSnippet = inside.length <= SNIPPET_CHARACTERS;
  return inside.trim() !== '' && !(isSnippet && (ANALYTICS.test(inside) || SETS_APPEARANCE.test(inside)));
}

/**
 * Tracks whether the scan is inside an element of interest, one at a time.
 * @param onLeave receives the number of characters of content inside the element when the element ends
 */
function createRegion(onLeave: (content: number) => void = () => undefined) {
  let name = '';
  let depth = 0;
  let before = 0;
  return {
    isInside: () => depth > 0,
    enter(tagName: string, content: number): void {
      if (depth) return;
      name = tagName;
      depth = 1;
      before = content;
    },
    /** Must be called for each start tag, so that nested elements of the same name are counted. */
    open(tagName: string): void {
      if (depth && tagName === name) depth++;
    },
    close(tagName: string, content: number): void {
      if (depth && tagName === name && --depth === 0) onLeave(content - before);
    },
    /** Ends the region at the end of the page. */
    end(content: number): void {
      if (depth) onLeave(content - before);
    },
  };
}

/** Reads the content signals of a page in one pass. @param html lower-case HTML */
function readContentSignals(html: string): ContentSignals {
  const reader = new ContentSignalReader();
  scanTags(html, reader);
  return reader.finish();
}

interface ContentSignals {
  /** Number of characters of content. */
  content: number;
  /** The text of the content, up to about {@link MIN_CONTENT} characters. */
  lines: string[];
  hasFrames: boolean;
  /** Whether there are scripts that could fill the page. */
  hasScripts: boolean;
  asksForScripts: boolean;
  isLoading: boolean;
  /** Whether a framework rendered the page on the server. */
  isServed: boolean;
  /** Whether a mount point or `<main>` is nearly empty, or templates are unfilled. */
  isUnfilled: boolean;
}

class ContentSignalReader implements TagHandler {
  readonly #found: ContentSignals = {
    content: 0,
    lines: [],
    hasFrames: false,
    hasScripts: false,
    asksForScripts: false,
    isLoading: false,
    isServed: false,
    isUnfilled: false,
  };
  #hasThinPart = false;
  #isTemplate = false;
  #hasBraces = false;
  /** The custom element whose start tag was read last, without text or tags after it. */
  #customElement = '';
  readonly #boilerplate = createRegion();
  readonly #code = createRegion();
  readonly #mount = createRegion((length) => this.#checkLength(length));
  readonly #main = createRegion((length) => this.#checkLength(length));
  readonly #regions = [this.#boilerplate, this.#code, this.#mount, this.#main];

  comment(text: string): void {
    if (SERVER_RENDERED_COMMENT.test(text)) this.#found.isServed = true;
    if (PENDING_COMMENT.test(text)) this.#found.isLoading = true;
  }

  text(text: string): void {
    const found = this.#found;
    this.#customElement = '';
    if (this.#boilerplate.isInside()) return;
    if (found.content < MIN_CONTENT) found.lines.push(text);
    found.content += text.length;
    if (!this.#code.isInside() && text.includes('{{')) this.#hasBraces = true;
  }

  open(name: string, tag: string): void {
    const found = this.#found;
    this.#customElement = name.includes('-') ? name : '';
    for (const region of this.#regions) region.open(name);
    if (SERVER_RENDERED.test(tag)) found.isServed = true;
    if (name === 'iframe' || name === 'frame') found.hasFrames = true;
    if (TEMPLATE_ATTRIBUTE.test(tag)) this.#isTemplate = true;
    if (!VOID_ELEMENTS.has(name)) this.#enterRegions(name, tag);
  }

  close(name: string): void {
    if (this.#customElement && name === this.#customElement) this.#found.isLoading = true;
    this.#customElement = '';
    for (const region of this.#regions) region.close(name, this.#found.content);
  }

  hidden(name: string, tag: string, inside: string): void {
    if (name === 'script' && mayFillPage(tag, inside)) this.#found.hasScripts = true;
    if (name === 'noscript' && ASKS_FOR_SCRIPTS.test(inside.slice(0, SNIPPET_CHARACTERS)))
      this.#found.asksForScripts = true;
  }

  /** The signals, after the whole page was read. */
  finish(): ContentSignals {
    for (const region of this.#regions) region.end(this.#found.content);
    return { ...this.#found, isUnfilled: this.#hasThinPart || (this.#isTemplate && this.#hasBraces) };
  }

  #enterRegions(name: string, tag: string): void {
    const found = this.#found;
    const classes = CONTAINERS.has(name) ? classesOf(tag) : [];
    if (classes.some((each) => LOADING_CLASS.test(each)) || IS_BUSY.test(tag)) found.isLoading = true;
    if (BOILERPLATE_ELEMENTS.has(name) || classes.some((each) => BOILERPLATE_CLASS.test(each)))
      this.#boilerplate.enter(name, found.content);
    if (name === 'pre' || name === 'code') this.#code.enter(name, found.content);
    if (name === 'main' || IS_MAIN.test(tag)) this.#main.enter(name, found.content);
    if (IS_MOUNT.test(tag)) this.#mount.enter(name, found.content);
  }

  #checkLength(length: number): void {
    if (length < (this.#found.isServed ? MIN_WHEN_SERVER_RENDERED : MIN_INSIDE)) this.#hasThinPart = true;
  }
}

function classesOf(tag: string): string[] {
  const [, double, single, bare] = /\sclass\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*))/.exec(tag) ?? [];
  return (double ?? single ?? bare ?? '').split(/\s+/);
}
