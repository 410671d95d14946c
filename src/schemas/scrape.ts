import { z } from 'zod';
import { fieldsOf } from '../json/json-object.ts';
import { document } from './document.ts';
import {
  callerFields,
  checkScrapeOptions,
  resolveScrapeOptions,
  scrapeOptionFields,
} from './scrape-options.ts';
import { refuseMarketplace } from './unavailable-options.ts';

/** The page of a scrape, and how it is scraped. */
export const scrapeBody = z
  .strictObject({
    url: z.string().describe('URL of the page; http:// is added if it has no scheme'),
    ...scrapeOptionFields,
    zeroDataRetention: z
      .boolean()
      .default(false)
      .describe('zero data retention: the data of the request are encrypted, and deleted with the result'),
    ...callerFields,
  })
  .superRefine(checkScrapeOptions)
  .transform(resolveScrapeOptions);

/** Body of `POST /v2/scrape`. Official clients may send providers of a marketplace in place of a URL. */
export const scrapeRequestBody = z.preprocess((body, context) => {
  if (fieldsOf(body).alexandria !== undefined)
    refuseMarketplace(['alexandria'], 'Send the url of a page instead.', context);
  return body;
}, scrapeBody);

/** An uploaded file, as the request of its job refers to it. */
export interface UploadedFile {
  /** The key of its row in `uploads`. */
  id: string;
  /** Its name without a path. */
  name: string;
  /** The media type that the client declared; empty if it declared none. */
  contentType: string;
  /** A keyed hash of the file, by which equal requests are recognised; absent if `id` identifies the file. */
  digest?: string;
}

/** The body of a scrape request after validation, with defaults filled in. */
export type ScrapeRequest = z.output<typeof scrapeBody> & {
  /** The file to parse in place of a page; `url` is then that of `uploadUrl`. */
  upload?: UploadedFile;
  /**
   * The hosts that the page may be on after redirects, with their ports and without `www.`; absent if any
   * may.
   */
  allowedHosts?: string[];
  /**
   * What the document calls the data of the format `json`, for a request of version 1 of the API; absent for
   * `json` alone.
   */
  jsonNames?: JsonName[];
};

/** A name for the data of a page in documents of version 1 of the API, which had two. */
export type JsonName = 'json' | 'extract';

/** Response of `POST /v2/scrape`. */
export const scrapeResponse = z.object({
  success: z.literal(true),
  data: document,
  scrape_id: z.uuid().optional().describe('only for callers whose origin contains "website"'),
});

/** Response of `GET /v2/scrape/{id}`. */
export const scrapeStatusResponse = z.object({
  success: z.literal(true),
  status: z.enum(['scraping', 'completed']),
  data: document.optional().describe('present when the scrape is completed'),
});
