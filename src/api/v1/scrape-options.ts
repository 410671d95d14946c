import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { type JsonName, scrapeBody } from '../../schemas/scrape.ts';
import { visitorFields } from '../../schemas/visitor.ts';
import { formatFields, translateFormats } from './formats.ts';
import { knownMembers } from './known-members.ts';

/** The timeout of version 1, in milliseconds. */
const TIMEOUT_MS = 30_000;

const location = knownMembers({}, visitorFields.location);

/** The scrape options that version 1 has and version 2 has not, or otherwise. */
export const scrapeOptionFields = {
  ...formatFields,
  waitFor: z.number().optional(),
  timeout: z.number().optional(),
  parsePDF: z.boolean().optional(),
  location: location.optional(),
  geolocation: location.optional(),
  agent: z.unknown().optional(),
};

/** The member `scrapeOptions` of requests of version 1. */
export const scrapeOptions = knownMembers(scrapeOptionFields, scrapeBody);

type ScrapeOptions = z.output<z.ZodObject<typeof scrapeOptionFields>> & Record<string, unknown>;

/** What documents call the data that a request of version 1 asked for. */
export interface NamedData {
  jsonNames?: JsonName[] | undefined;
}

/**
 * Converts scrape options of version 1: formats without members, and its defaults, which are no cached copies
 * and a timeout of 30 seconds.
 * @throws ServiceError `FEATURE_NOT_AVAILABLE` for an agent; as {@link translateFormats}
 */
export function translateScrapeOptions(options: ScrapeOptions): { options: object } & NamedData {
  const {
    formats: _formats,
    jsonOptions: _jsonOptions,
    extract: _extract,
    changeTrackingOptions: _changeTrackingOptions,
    agent,
    parsePDF,
    geolocation,
    ...same
  } = options;
  if (agent) throw new ServiceError('FEATURE_NOT_AVAILABLE', NO_AGENT);
  const { formats, jsonNames } = translateFormats(options);
  const { waitFor = 0, location: place = geolocation } = same;
  return {
    options: {
      maxAge: 0,
      // Version 1 refused to wait for more than half of the timeout; without one, a longer wait has more time.
      timeout: Math.max(TIMEOUT_MS, 2 * waitFor),
      ...same,
      ...(formats && { formats }),
      ...(place && { location: place }),
      ...(parsePDF !== undefined && { parsers: parsePDF ? ['pdf'] : [] }),
    },
    jsonNames,
  };
}

const NO_AGENT =
  'agent is not available in a scrape. Leave it out, or use POST /v2/agent with {"prompt": …, "urls": […]}, which finds data by a language model, or POST /v2/scrape/{id}/interact with {"prompt": …}, which lets one use the page of a scrape.';

/** Adds the names of data to checked scrape options. */
export const nameData = (checked: unknown, { jsonNames }: NamedData): unknown =>
  jsonNames ? { ...Object(checked), jsonNames } : checked;

/** Adds the names of data to the `scrapeOptions` of a checked request. */
export function nameDataOfPages(checked: unknown, named: NamedData): unknown {
  // The schemas of the requests have this member.
  const { scrapeOptions: options, ...same } = checked as { scrapeOptions: unknown };
  return { ...same, scrapeOptions: nameData(options, named) };
}
