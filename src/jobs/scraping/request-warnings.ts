import { FEW_MS } from '../../schemas/actions.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import { warnOfLocation } from '../../schemas/visitor.ts';

/** What is doubtful about a request, whatever the page is. */
export const warnOfRequest = (request: ScrapeRequest): string[] => [
  ...warnOfFormats(request),
  ...warnOfLocation(request.location),
  ...warnOfWaits(request),
];

/** Actions have results of their own, without any format. */
const warnOfFormats = ({ formats, actions }: ScrapeRequest) =>
  formats.length || actions?.length
    ? []
    : ['formats is an empty list, so the document has metadata only. Leave formats out to get markdown.'];

/** Asks whether waits of a few milliseconds are meant in seconds. */
function warnOfWaits({ waitFor, actions = [] }: ScrapeRequest): string[] {
  const waits = actions.flatMap((action) =>
    action.type === 'wait' && action.milliseconds !== undefined
      ? [{ name: 'milliseconds', ms: action.milliseconds }]
      : [],
  );
  return [{ name: 'waitFor', ms: waitFor }, ...waits]
    .filter(({ ms }) => ms > 0 && ms <= FEW_MS)
    .map(({ name, ms }) => `${name} is ${ms} ms. If you mean ${ms} seconds, write ${ms * 1000}.`);
}
