import { STATUS_CODES } from 'node:http';
import { priceOf } from '../credits.ts';
import type { Obtained } from '../engines/index.ts';
import type { RenderPool } from '../formats/pool.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';

/** What a document is made from. */
export interface DocumentOrder {
  /** Of the page: `metadata.scrapeId`. */
  scrapeId: string;
  request: ScrapeRequest;
  obtained: Obtained;
  /** Milliseconds that it waited for a slot of its team; `undefined` when one was free. */
  queuedMs: number | undefined;
  /** Where the page leads is wanted too. */
  discover?: boolean;
  /** Somebody waits for it: it goes before the pages of jobs. */
  urgent: boolean;
  signal: AbortSignal;
}

/** A scraped page as it is stored, what it costs, and where it leads. */
export interface FinishedDocument {
  json: Buffer;
  credits: number;
  /** Given where it was asked for. */
  discovered: string[];
}

/** Makes the document that the user gets; whoever scrapes, it is made here. */
export async function makeDocument(renderer: RenderPool, order: DocumentOrder): Promise<FinishedDocument> {
  const { scrapeId, request, obtained, queuedMs, discover, urgent, signal } = order;
  const { snapshot, cacheState } = obtained;
  const { formats, onlyMainContent, includeTags, excludeTags, removeBase64Images } = request;
  const clean = { onlyMainContent, includeTags, excludeTags, removeBase64Images };
  const task = { snapshot, clean, formats, ...(discover && { discover }) };
  const { fields, metadata, discovered = [] } = await renderer.render(task, { signal, urgent });
  const credits = priceOf(request, obtained);
  const { warnings } = snapshot;
  const document = {
    ...fields,
    ...(snapshot.actions && { actions: snapshot.actions }),
    ...(warnings?.length && { warning: warnings.join(' ') }),
    metadata: {
      ...metadata,
      scrapeId,
      sourceURL: snapshot.sourceUrl,
      url: snapshot.url,
      statusCode: snapshot.statusCode,
      error: snapshot.statusCode >= 400 ? (STATUS_CODES[snapshot.statusCode] ?? 'HTTP error') : undefined,
      contentType: snapshot.contentType || undefined,
      // As the public clients of this API know it.
      proxyUsed: snapshot.proxy === 'enhanced' ? 'stealth' : 'basic',
      cacheState,
      cachedAt: cacheState === 'hit' ? new Date(snapshot.fetchedAt).toISOString() : undefined,
      timezone: snapshot.timezone,
      creditsUsed: credits,
      concurrencyLimited: queuedMs !== undefined,
      concurrencyQueueDurationMs: queuedMs,
    },
  };
  return { json: Buffer.from(JSON.stringify(document)), credits, discovered };
}
