import { createHash } from 'node:crypto';
import type { Express } from 'express';
import { ServiceError } from '../../errors.ts';
import { monitorNotFound } from '../../jobs/monitors/begin-check.ts';
import { composeFeed } from '../../jobs/monitors/feed.ts';
import { readDetails } from '../../jobs/monitors/page-details.ts';
import { FEEDS_PATH, feedUrl, readFeedToken } from '../../jobs/monitors/signed-links.ts';
import { readMonitor } from '../../storage/db/monitors/monitors.ts';
import { listNews } from '../../storage/db/monitors/news.ts';
import { matchesIfNoneMatch } from '../http/if-none-match.ts';
import type { ApiDeps } from '../http/route.ts';

/** News that a feed has. */
const MAX_ENTRIES = 50;

/**
 * Serves the feeds of monitors under their signed URLs. A program that asks for one again gets 304 as long as there
 * is nothing new, for which no diff is read.
 */
export function mountFeeds(
  app: Express,
  { db, monitorBlobs, config: { secretKey } }: Pick<ApiDeps, 'db' | 'monitorBlobs' | 'config'>,
): void {
  app.get(`${FEEDS_PATH}/:token`, async (request, response) => {
    const feed = readFeedToken(request.params.token, secretKey);
    const { monitorId: id } = feed;
    const monitor = await readMonitor(db, id);
    if (!monitor || monitor.status === 'deleted') throw monitorNotFound(id);
    if (monitor.feed_version !== feed.version)
      throw new ServiceError(
        'NOT_FOUND',
        'The URL of this feed was replaced. Ask the owner of the monitor for the new one, which is in its feedUrl.',
      );
    const news = await listNews(db, id, MAX_ENTRIES);
    const version = JSON.stringify([monitor.name, news.map((page) => [page.id, page.judgment])]);
    const etag = `"${createHash('sha256').update(version).digest('base64url')}"`;
    response.set({ ETag: etag, 'Cache-Control': 'no-cache' });
    if (matchesIfNoneMatch(request, etag)) return void response.status(304).end();
    const pages = await Promise.all(
      news.map(async (page) => ({ ...page, details: await readDetails(monitorBlobs, page.blob) })),
    );
    const { base_url: baseUrl } = monitor;
    const urls = { self: feedUrl(feed, baseUrl, secretKey), console: `${baseUrl}/console/monitors/${id}` };
    response.type('application/atom+xml').send(composeFeed(monitor, pages, urls));
  });
}
