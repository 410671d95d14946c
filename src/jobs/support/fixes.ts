import type { ScrapeRequest } from '../../schemas/scrape.ts';
import type { Fix } from './finding.ts';

/** The waits that are proposed for content that appears late, in milliseconds. */
export const WAIT_MS = 5_000;
export const LONG_WAIT_MS = 15_000;

/** A fix with which the document has more content. */
export const moreContent = (parameters: Fix['parameters'], effect: string): Fix => ({
  parameters,
  effect,
  expects: 'moreContent',
});

/** A fix with which the page arrives. */
export const page = (parameters: Fix['parameters'], effect: string): Fix => ({
  parameters,
  effect,
  expects: 'page',
});

/** Reads the text in the images of a PDF. */
export const READ_IMAGES = page(
  { parsers: [{ type: 'pdf', mode: 'auto' }] },
  'With the mode "auto", the text in the images of the PDF is recognised.',
);

/** Waits for content that scripts add, with a timeout that allows it. */
export function waitLonger({ timeout }: Pick<ScrapeRequest, 'timeout'>, waitFor: number): Fix {
  const longEnough = timeout >= 2 * waitFor ? {} : { timeout: 3 * waitFor };
  return {
    ...moreContent(
      { waitFor, ...longEnough },
      `The page brings its content late: waitFor ${waitFor} gives its scripts ${waitFor / 1000} seconds.`,
    ),
    needsScripts: true,
  };
}

/** Whether actions of a request wait for elements, which the page may lack. */
export const selectorsOf = ({ actions = [] }: Pick<ScrapeRequest, 'actions'>): string[] =>
  actions.flatMap((action) => ('selector' in action && action.selector ? [action.selector] : []));

/**
 * The options of a request that may keep content out of the document, each with the change that undoes it,
 * the most likely one first.
 */
export function narrowingOptions(request: ScrapeRequest): Fix[] {
  const {
    excludeTags = [],
    includeTags = [],
    fastMode,
    actions = [],
    mobile,
    headers = {},
    location,
  } = request;
  return [
    ...(excludeTags.length
      ? [moreContent({ excludeTags: [] }, `excludeTags (${excludeTags.join(', ')}) removes the content.`)]
      : []),
    ...(includeTags.length
      ? [
          moreContent(
            { includeTags: [] },
            `includeTags (${includeTags.join(', ')}) keeps too little of the page.`,
          ),
        ]
      : []),
    ...(fastMode
      ? [moreContent({ fastMode: false }, 'Scripts bring the content, and fastMode does not run them.')]
      : []),
    ...(actions.length
      ? [
          moreContent(
            { actions: [] },
            'The actions of the request leave less of the page than it had before.',
          ),
        ]
      : []),
    ...(mobile
      ? [moreContent({ mobile: false }, 'The site sends mobile devices another page, which mobile asks for.')]
      : []),
    ...(Object.keys(headers).length
      ? [moreContent({ headers: {} }, 'With the headers of the request, the site sends another page.')]
      : []),
    ...(location
      ? [moreContent({ location: null }, 'The site sends visitors of this location another page.')]
      : []),
  ];
}
