import { isPlaceholder } from '../html/placeholder.ts';
import { scanTags } from './scan-tags.ts';

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
export function needsBrowser(html: string): boolean {
  if (SHADOW_TREE.test(html)) return true;
  const beginning = readContentSignals(html.slice(0, BEGINNING_CHARACTERS).toLowerCase());
  // After this much content only an empty mount point can show that the page is a shell.
  if (beginning.content >= MIN_WHEN_SCRIPTS_REQUIRED && !beginning.isUnfilled && !MOUNT_POINT.test(html))
    return false;
  const found = readContentSignals(html.slice(0, JUDGED_CHARACTERS).toLowerCase());
  if (found.hasFrames && found.content < MIN_CONTENT) return true;
  if (!found.hasScripts) return false;
  if (found.isUnfilled) return true;
  if (found.content < MIN_CONTENT && isPlaceholder({ ...found, title: '', hasSpinner: found.isLoading }))
    return true;
  if (found.asksForScripts) return found.content < MIN_WHEN_SCRIPTS_REQUIRED;
  if (found.isLoading) return found.content < MIN_WHILE_LOADING;
  return found.content < (found.isServed ? MIN_WHEN_SERVER_RENDERED : MIN_CONTENT);
}

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
const SHADOW_TREE = /<template[^<>]{0,200}\sshadowrootmode/i;
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
function readContentSignals(html: string) {
  const found = {
    content: 0,
    /** The text of the content, up to about {@link MIN_CONTENT} characters. */
    lines: [] as string[],
    ...{ hasFrames: false, hasScripts: false, asksForScripts: false, isLoading: false, isServed: false },
  };
  let hasThinPart = false;
  let isTemplate = false;
  let hasBraces = false;
  const checkLength = (length: number) => {
    if (length < (found.isServed ? MIN_WHEN_SERVER_RENDERED : MIN_INSIDE)) hasThinPart = true;
  };
  const boilerplate = createRegion();
  const code = createRegion();
  const mount = createRegion(checkLength);
  const main = createRegion(checkLength);
  const regions = [boilerplate, code, mount, main];
  /** The custom element whose start tag was read last, without text or tags after it. */
  let customElement = '';

  scanTags(html, {
    comment(text) {
      if (SERVER_RENDERED_COMMENT.test(text)) found.isServed = true;
      if (PENDING_COMMENT.test(text)) found.isLoading = true;
    },
    text(text) {
      customElement = '';
      if (boilerplate.isInside()) return;
      if (found.content < MIN_CONTENT) found.lines.push(text);
      found.content += text.length;
      if (!code.isInside() && text.includes('{{')) hasBraces = true;
    },
    open(name, tag) {
      customElement = name.includes('-') ? name : '';
      for (const region of regions) region.open(name);
      if (SERVER_RENDERED.test(tag)) found.isServed = true;
      if (name === 'iframe' || name === 'frame') found.hasFrames = true;
      if (TEMPLATE_ATTRIBUTE.test(tag)) isTemplate = true;
      if (VOID_ELEMENTS.has(name)) return;
      const classes = CONTAINERS.has(name) ? classesOf(tag) : [];
      if (classes.some((each) => LOADING_CLASS.test(each)) || IS_BUSY.test(tag)) found.isLoading = true;
      if (BOILERPLATE_ELEMENTS.has(name) || classes.some((each) => BOILERPLATE_CLASS.test(each)))
        boilerplate.enter(name, found.content);
      if (name === 'pre' || name === 'code') code.enter(name, found.content);
      if (name === 'main' || IS_MAIN.test(tag)) main.enter(name, found.content);
      if (IS_MOUNT.test(tag)) mount.enter(name, found.content);
    },
    close(name) {
      if (customElement && name === customElement) found.isLoading = true;
      customElement = '';
      for (const region of regions) region.close(name, found.content);
    },
    hidden(name, tag, inside) {
      if (name === 'script' && mayFillPage(tag, inside)) found.hasScripts = true;
      if (name === 'noscript' && ASKS_FOR_SCRIPTS.test(inside.slice(0, SNIPPET_CHARACTERS))) {
        found.asksForScripts = true;
      }
    },
  });
  for (const region of regions) region.end(found.content);
  return { ...found, isUnfilled: hasThinPart || (isTemplate && hasBraces) };
}

function classesOf(tag: string): string[] {
  const [, double, single, bare] = /\sclass\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*))/.exec(tag) ?? [];
  return (double ?? single ?? bare ?? '').split(/\s+/);
}
