import { ServiceError } from '../../errors.ts';
import type { WatchedPage } from '../../storage/db/monitors/history.ts';
import type { StoredMonitor } from '../../storage/db/monitors/monitors.ts';
import { parseTarget } from '../../url/url.ts';
import { targetsOf } from './begin-check.ts';

/**
 * Finds out which page of a monitor a request means.
 * @param named.url may be left out where the monitor watches one page only
 * @param named.targetId may be left out where one target has the page
 * @throws ServiceError `BAD_REQUEST` if that is unclear
 */
export function watchedPageOf(
  monitor: StoredMonitor,
  named: { url?: string | undefined; targetId?: string | undefined },
): WatchedPage {
  const targets = targetsOf(monitor).filter(
    ({ name }) => named.targetId === undefined || name === named.targetId,
  );
  if (targets.length === 0)
    throw new ServiceError(
      'BAD_REQUEST',
      `Bad Request: the monitor has no target ${named.targetId}. GET /v2/monitor/${monitor.id} lists its targets.`,
    );
  const targetIds = targets.map(({ name }) => name);
  if (named.url !== undefined)
    return { monitorId: monitor.id, targetIds, urls: [...new Set([named.url, normalized(named.url)])] };
  const urls = new Set(targets.flatMap(({ target }) => (target.type === 'scrape' ? target.urls : [])));
  const isOnePage = urls.size === 1 && targets.every(({ target }) => target.type === 'scrape');
  if (!isOnePage)
    throw new ServiceError(
      'BAD_REQUEST',
      'Bad Request: the monitor watches several pages. Set url to the page that is meant, as its checks name it.',
    );
  return { monitorId: monitor.id, targetIds, urls: [...urls] };
}

/** The URL as crawls name it. */
const normalized = (url: string) => (URL.canParse(url) ? parseTarget(url, true).href : url);
