import type { ScrapeRequest } from '../../schemas/scrape.ts';

const AGE =
  /\b(stale|old|older|outdated|out of date|cached?|yesterday|not (?:up.to.date|current)|latest|fresh|changed|update[sd]?)\b/i;
const CONTENT =
  /\b(missing|empty|incomplete|nothing|blank|short|little|less|lacks?|without|only|gone|null|los[te]s?|vanish\w*|disappear\w*|cut off|truncated|used to be|where (?:is|are)|no (?:content|text|markdown))\b/i;
const NOT_THERE =
  /(?:\b(?:not|never)|n't) (?:there|all|complete|get|in|show|appear|included|returned|found|see|contain|come)\b/i;
const SURPLUS =
  /\b(still|too much|unwanted|superfluous|not removed|instead of only|(?:get|keep|leave|take) rid|should not be|clutter)\b/i;
const ABSENCE = /\b(no|not|missing|empty|without|lacks?|where (?:is|are)|nothing|null|undefined)\b/i;
const IMAGES = /\b(images?|pictures?|placeholders?|base64|photos?|logos?)\b/i;

/** Whether a question is about content that is too old. */
export const asksAboutAge = (question: string) => AGE.test(question);
/** Whether a question is about content that is missing. */
export const asksAboutContent = (question: string) => CONTENT.test(question) || NOT_THERE.test(question);
/** Whether a question is about content that should not be there. */
export const asksAboutSurplus = (question: string) => SURPLUS.test(question);
/** Whether a question is about images. */
export const asksAboutImages = (question: string) => IMAGES.test(question);

/** How people call the formats. */
const FORMAT_NAMES: Record<string, RegExp> = {
  markdown: /\bmarkdown\b/i,
  rawHtml: /\b(?:raw ?html|source of the page)\b/i,
  html: /\bhtml\b/i,
  links: /\blinks\b/i,
  screenshot: /\bscreenshot\b/i,
  summary: /\bsummary\b/i,
  json: /\bjson\b/i,
};
/** The formats that have no text of the page. */
const WITHOUT_TEXT = new Set([
  'links',
  'images',
  'screenshot',
  'attributes',
  'changeTracking',
  'branding',
  'audio',
  'video',
]);

/**
 * Finds the format that a question misses, because the request does not ask for it.
 * @returns `undefined` if the request has one of those that the question names
 */
export function findMissingFormat(question: string, { formats }: ScrapeRequest): string | undefined {
  if (!ABSENCE.test(question)) return undefined;
  const requested = new Set<string>(formats.map(({ type }) => type));
  const named = Object.keys(FORMAT_NAMES).flatMap((name) => {
    const position = question.search(FORMAT_NAMES[name] ?? /$^/);
    return position < 0 ? [] : [{ name, position }];
  });
  if (named.some(({ name }) => requested.has(name))) return undefined;
  // What is missing is named first: "no screenshot, only markdown".
  const [first] = named.toSorted((one, other) => one.position - other.position);
  const hasText = formats.some(({ type }) => !WITHOUT_TEXT.has(type));
  return first?.name ?? (hasText || !asksAboutContent(question) ? undefined : 'markdown');
}

const LANGUAGES: Record<string, string> = {
  english: 'en',
  german: 'de',
  french: 'fr',
  spanish: 'es',
  italian: 'it',
  dutch: 'nl',
  polish: 'pl',
  portuguese: 'pt',
  russian: 'ru',
  chinese: 'zh',
  japanese: 'ja',
  korean: 'ko',
};

/**
 * Finds the languages that a question names, as BCP 47 codes.
 * @returns an empty list also if it only says that the language is the wrong one
 */
export const languagesIn = (question: string): string[] =>
  Object.entries(LANGUAGES).flatMap(([name, code]) => (question.toLowerCase().includes(name) ? [code] : []));
