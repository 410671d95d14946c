import { recordsOf } from '../../content/formats/index.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import { isCacheOnly } from '../../schemas/scrape-options.ts';
import type { PageRequest } from './engine.ts';

/** The functions of the requested formats that run on the open page. */
export function collectOf(formats: ScrapeRequest['formats']): PageRequest['collect'] {
  const collect: PageRequest['collect'] = {};
  for (const { format, request } of recordsOf(formats)) {
    if (format.collect) collect[request.type] = (page) => format.collect!(page, request);
    if (format.collectData) {
      collect[request.type] = async (page) => ({ data: await format.collectData!(page, request) });
    }
  }
  return collect;
}

type OpenPageNeeds = Pick<PageRequest, 'collect' | 'actions' | 'mobile' | 'waitForMs'> & {
  profile?: unknown;
};

/** Whether a request can only be fulfilled in an open page. */
export function needsOpenPage({ collect, actions, mobile, waitForMs, profile }: OpenPageNeeds): boolean {
  const isMade = Object.keys(collect).length > 0 || actions.length > 0;
  return isMade || mobile || waitForMs > 0 || profile !== undefined;
}

/** Whether pages are opened in the browser from the start; others may turn out to need one. */
export function opensBrowser(request: Omit<ScrapeRequest, 'url'>): boolean {
  const { mobile, waitFor: waitForMs, profile, actions = [], formats } = request;
  return (
    !isCacheOnly(request) &&
    needsOpenPage({ mobile, waitForMs, profile, actions, collect: collectOf(formats) })
  );
}
