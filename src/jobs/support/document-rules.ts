import { type CompletedPage, FEW_WORDS } from './facts.ts';
import type { Finding } from './finding.ts';
import {
  LONG_WAIT_MS,
  moreContent,
  narrowingOptions,
  page,
  READ_IMAGES,
  WAIT_MS,
  waitLonger,
} from './fixes.ts';
import { mentionsOf } from './mentions.ts';
import {
  asksAboutAge,
  asksAboutContent,
  asksAboutImages,
  asksAboutSurplus,
  findMissingFormat,
  languagesIn,
} from './question-kind.ts';
import { explainResponse } from './response-rules.ts';

/** With this share of the text of a page, the document has next to all of it. */
const NEARLY_ALL = 0.99;

/**
 * Explains a page that was delivered, but not as expected. What the scrape says of itself comes first, and
 * guesses that only tests can confirm come last.
 * @param question what the user asks, which decides between causes that the page itself does not tell apart
 * @returns `undefined` if there is nothing to complain about
 */
export function explainDocument(page: CompletedPage, question: string): Finding | undefined {
  const response = explainResponse(page);
  if (response) return response;
  const format = findMissingFormat(question, page.request);
  if (format) return explainFormat(page, format);
  const isThin = page.document.hasText && page.document.words < FEW_WORDS;
  const isAboutContent = isThin || asksAboutContent(question) || lacksMention(page, question);
  return (
    explainFile(page, isAboutContent) ??
    explainReplacedImages(page, question) ??
    explainLanguage(page, question) ??
    explainSelector(page) ??
    (page.document.isCopy && asksAboutAge(question) ? explainCopy() : undefined) ??
    explainSurplus(page, question) ??
    (isAboutContent || page.document.warning ? explainMissingContent(page, isThin) : undefined)
  );
}

/** Whether a question has a text in quotes, a number or a price that the document lacks. */
function lacksMention({ document }: CompletedPage, question: string): boolean {
  const { exact } = mentionsOf(question);
  return document.hasText && exact.some((each) => !document.mentioned.includes(each));
}

function explainFormat({ request: { formats } }: CompletedPage, type: string): Finding {
  const names = formats.map((format) => format.type).join(', ');
  return {
    topic: 'formats',
    cause: `The document has no ${type}, because the formats of the request are ${names || 'an empty list'}.`,
    advice: `Add "${type}" to formats.`,
    // A JSON Schema or a question can only come from the user.
    fixes:
      type === 'json'
        ? []
        : [page({ formats: [...formats, { type }] }, `With "${type}" in formats, the document has it.`)],
    confidence: 'high',
  };
}

/** Explains what is missing of a file because of its parser. */
function explainFile({ request, document }: CompletedPage, isAboutContent: boolean): Finding | undefined {
  const { parsers } = request;
  const { contentType = '', words, pages } = document;
  if (!/pdf/.test(contentType)) return undefined;
  const certain = { confidence: 'high' } as const;
  if (parsers?.length === 0)
    return {
      topic: 'parsers',
      cause: 'The request has an empty list of parsers, so the PDF was returned as it is, in Base64.',
      advice: 'Leave parsers out.',
      fixes: [page({ parsers: ['pdf'] }, 'With the parser "pdf", its text becomes markdown.')],
      ...certain,
    };
  const options = parsers?.flatMap((parser) => (typeof parser === 'object' ? [parser] : [])) ?? [];
  if (words < FEW_WORDS && options.some((parser) => 'mode' in parser && parser.mode === 'fast'))
    return {
      topic: 'scan',
      cause: 'The PDF has next to no text but that in its images, which the mode "fast" does not recognise.',
      advice: 'Leave the mode out.',
      fixes: [READ_IMAGES],
      ...certain,
    };
  const limited = options.find((parser) => 'maxPages' in parser && parser.maxPages !== undefined);
  if (!limited || !pages || pages.read >= pages.all || !isAboutContent) return undefined;
  const { maxPages: _, ...unlimited } = limited as { type: string; maxPages?: number };
  return {
    topic: 'maxPages',
    cause: `Only ${pages.read} of the ${pages.all} pages of the file were read, because of maxPages.`,
    advice: 'Raise maxPages, or leave it out.',
    fixes: [moreContent({ parsers: [unlimited] }, 'Without maxPages, all pages of the file are read.')],
    ...certain,
  };
}

function explainReplacedImages({ document }: CompletedPage, question: string): Finding | undefined {
  const { replacedImages = 0 } = document;
  if (!replacedImages || !asksAboutImages(question)) return undefined;
  return {
    topic: 'images',
    cause: `A placeholder stands for ${replacedImages} images that the page has as data: URLs, because of removeBase64Images, which is the default.`,
    advice: 'Set removeBase64Images to false.',
    fixes: [
      {
        parameters: { removeBase64Images: false },
        expects: 'images',
        effect: 'With removeBase64Images false, the markdown has the images.',
      },
    ],
    confidence: 'high',
  };
}

function explainLanguage({ request, document }: CompletedPage, question: string): Finding | undefined {
  const named = languagesIn(question);
  const is = document.language?.slice(0, 2).toLowerCase();
  // A page that does not name its language most likely has that for which the site was asked.
  const current = is ?? request.location?.languages?.[0]?.slice(0, 2) ?? 'en';
  const wanted = named.find((code) => code !== current);
  if (!wanted || !/\b(in|into|language|translat\w+|version)\b/i.test(question)) return undefined;
  const { country, languages } = request.location ?? {};
  const asked = languages?.join(', ') ?? (country && `the languages of ${country}`) ?? 'English';
  return {
    topic: 'language',
    cause: `The request asks the site for ${asked} by its location${is ? `, and the page says that its language is ${is}` : ''}.`,
    advice: 'The site does not choose the language by the request: look for the URL of the other version.',
    fixes: [
      {
        parameters: { location: { ...(country && { country }), languages: [wanted] } },
        expects: 'otherLanguage',
        effect: `With languages in location, the site is asked for ${wanted}.`,
      },
    ],
    confidence: 'medium',
  };
}

/** The page may lack the elements, or have them only later. */
function explainSelector({ request, document }: CompletedPage): Finding | undefined {
  if (!/match nothing on the page/.test(document.warning ?? '')) return undefined;
  return {
    topic: 'includeTags',
    cause: `No element of the page matches includeTags (${request.includeTags?.join(', ')}), so nothing of it was kept.`,
    advice: 'Check the selectors against the page.',
    fixes: [
      ...(request.waitFor < WAIT_MS && !request.fastMode ? [waitLonger(request, WAIT_MS)] : []),
      moreContent({ includeTags: [] }, 'Without includeTags, the main content of the page is kept.'),
    ],
    confidence: 'high',
  };
}

const explainCopy = (): Finding => ({
  topic: 'cache',
  cause:
    'The document was made from a cached copy of the page, because maxAge accepts copies of up to two days by default.',
  advice: 'The page has not changed since, so the copy is as good as a new one.',
  fixes: [
    {
      parameters: { maxAge: 0 },
      expects: 'freshCopy',
      effect: 'With maxAge 0, the page is always fetched anew.',
    },
  ],
  confidence: 'high',
});

/** Explains content that selectors were to remove. */
function explainSurplus({ request }: CompletedPage, question: string): Finding | undefined {
  const { excludeTags = [] } = request;
  if (!asksAboutSurplus(question) || !excludeTags.length) return undefined;
  const selectors = excludeTags.join(', ');
  return {
    topic: 'excludeTags',
    cause: `The request removes the elements that match excludeTags (${selectors}).`,
    advice: 'Check the selectors against the page.',
    fixes: [
      {
        parameters: { excludeTags: [] },
        expects: 'sameContent',
        effect: `They match nothing that the document would have: check the selectors against the page.`,
        isProbe: true,
      },
    ],
    confidence: 'medium',
    isGuess: true,
  };
}

function explainMissingContent({ request, document, attempts }: CompletedPage, isThin: boolean): Finding {
  const { fastMode, waitFor, onlyMainContent } = request;
  const { words, contentShare = 0, isCopy, images = 0, warning } = document;
  const engine = attempts.at(-1)?.engine;
  const found = words ? `${words} words` : images ? `no text but ${images} images` : 'no text';
  const origin = engine ? `; the page came from the engine ${engine}` : '';
  const waits = !fastMode && document.hasText;
  const fullPage =
    onlyMainContent && contentShare < NEARLY_ALL
      ? [
          moreContent(
            { onlyMainContent: false },
            'The content is where pages usually have navigation or footers, which onlyMainContent leaves out.',
          ),
        ]
      : [];
  const wait = waits && waitFor < WAIT_MS ? [waitLonger(request, WAIT_MS)] : [];
  // Without fastMode, a page with enough text is still not opened in the browser, unless it has to wait
  // there.
  const inBrowser = fastMode
    ? [
        moreContent(
          { fastMode: false, ...waitLonger(request, WAIT_MS).parameters },
          'Scripts bring the content: fastMode does not run them, and waitFor opens the page in a browser.',
        ),
      ]
    : [];
  const renewal = isCopy
    ? [moreContent({ maxAge: 0 }, 'The document was made from a cached copy, and the page has more now.')]
    : [];
  const formats = request.formats.map(({ type }) => type).join(', ');
  const summary = document.hasText
    ? `The document has ${found}${origin}.`
    : `The formats of the request (${formats}) have no text that could be compared with other scrapes.`;
  return {
    topic: 'content',
    cause: warning ? `${summary} The scrape warned: ${warning}` : summary,
    advice: !document.hasText
      ? 'That is all that the scrape says of itself.'
      : isThin && images
        ? 'The page shows images in place of text.'
        : 'The page itself seems to have no more content than that.',
    fixes: document.hasText
      ? [
          ...narrowingOptions(request),
          ...inBrowser,
          ...renewal,
          ...(isThin ? [...wait, ...fullPage] : [...fullPage, ...wait]),
          ...(isThin && waits && waitFor < LONG_WAIT_MS ? [waitLonger(request, LONG_WAIT_MS)] : []),
        ]
      : [],
    confidence: isThin || warning ? 'medium' : 'low',
    ...(!warning && !isThin && { isGuess: true }),
  };
}
