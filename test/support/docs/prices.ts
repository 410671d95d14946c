import path from 'node:path';
import { RUN_MIN_CREDITS } from '../../../src/api/agents/start-run.ts';
import { FORMATS } from '../../../src/content/formats/index.ts';
import {
  ENHANCED_PAGE,
  expectedPriceOf,
  FEEDBACK_DAILY_CAP,
  FEEDBACK_REFUND,
  HISTORY_QUESTION,
  JUDGED_PAGE,
  MAP_CREDITS,
  PAGE,
  PROMPTED_SESSION_MINUTE,
  priceOf,
  priceOfSearch,
  SESSION_MINUTE,
} from '../../../src/credits.ts';
import { ERRORS, type ErrorCode, policyOf } from '../../../src/errors.ts';
import { RULES_CREDITS } from '../../../src/jobs/agent/task.ts';
import { RUN_CREDITS } from '../../../src/storage/agent-steps/step.ts';

/** The prices in the guides, as the code has them. */

/** The guide with the list of prices. */
export const PRICES_PAGE = path.join(import.meta.dirname, '../../../docs/guides/account.md');

const HEADING = '## What requests cost\n';

const surchargeOf = (request: Partial<Parameters<typeof expectedPriceOf>[0]>) =>
  expectedPriceOf({ formats: [], ...request }) - PAGE;

const LOCKDOWN = surchargeOf({ lockdown: true }) + PAGE;
const DOCUMENT_PAGE =
  priceOf(
    { lockdown: false },
    {
      snapshot: { proxy: 'basic', document: { type: 'pdf', numPages: 2, hasImages: false } },
      cacheState: 'miss',
    },
  ) - PAGE;

/** The formats with a price, such as "`json` and `question` 4 more". */
function describeFormats(): string {
  const byPrice = Map.groupBy(
    FORMATS.filter((format) => 'credits' in format && format.credits),
    (format) => surchargeOf({ formats: [{ type: format.request.shape.type.value }] }),
  );
  return [...byPrice]
    .map(
      ([price, formats]) =>
        `${list(formats.map(({ request }) => `\`${request.shape.type.value}\``))} ${price} more`,
    )
    .join(', ');
}

const list = (names: string[]) => [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' and ');

const costOfFailure = (code: ErrorCode) => policyOf(code).credits ?? 0;
// The keys of an object literal are those of its type.
const billedFailures = (Object.keys(ERRORS) as ErrorCode[])
  .filter((code) => costOfFailure(code) > 0)
  .map((code) => `\`${code}\` (${costOfFailure(code)})`);

/** The list of prices, one sentence each. */
const PRICES = [
  `A page costs ${PAGE} credit, and each further page of a document ${DOCUMENT_PAGE} more.`,
  `A page through an enhanced proxy costs ${ENHANCED_PAGE} in place of ${PAGE}.`,
  `A page with \`lockdown\` costs ${LOCKDOWN} in place of ${PAGE}; if the cache has no copy of it, the request costs ${costOfFailure('SCRAPE_LOCKDOWN_CACHE_MISS')}.`,
  `Formats: ${describeFormats()}; \`changeTracking\` with the mode \`json\` costs ${surchargeOf({ formats: [{ type: 'changeTracking', modes: ['json'] }] })} more. Each is charged once for a page, and only if the page has a value for it.`,
  `\`zeroDataRetention\` costs ${surchargeOf({ zeroDataRetention: true })} more.`,
  `\`redactPII\` costs ${surchargeOf({ redactPII: true })} more, and as much for each further page of a document.`,
  `A map costs ${MAP_CREDITS}, a search ${priceOfSearch(1)} for each started ten results, besides the scrapes.`,
  `An agent or extract costs what its pages, maps and searches cost, and ${RUN_CREDITS} for the result. An extract by rules costs ${RULES_CREDITS} more for each page with data.`,
  `A check of a monitor costs what its pages and searches cost, and ${JUDGED_PAGE} for each change that a model judges. A question about the history of a page costs ${HISTORY_QUESTION}.`,
  `A browser session costs ${SESSION_MINUTE} per minute, ${PROMPTED_SESSION_MINUTE} with prompts. It is measured by the second, and costs at least one minute.`,
  `Failed scrapes are free, except ${list(billedFailures)}. Support questions are free.`,
  `The first feedback on a search gives ${FEEDBACK_REFUND} back, at most ${FEEDBACK_DAILY_CAP} on a day (UTC).`,
];

/** Replaces the section with the prices of a page. */
export function withPrices(page: string): string {
  const start = page.indexOf(HEADING) + HEADING.length;
  const end = page.indexOf('\n## ', start);
  return `${page.slice(0, start)}\n${PRICES.map((sentence) => `- ${sentence}\n`).join('')}${page.slice(end)}`;
}

const credits = (count: number) => `${count} ${count === 1 ? 'credit' : 'credits'}`;
const ofFormat = (type: string, modes?: string[]) => credits(surchargeOf({ formats: [{ type, modes }] }));
const ofSession = `${credits(SESSION_MINUTE)} per minute, ${PROMPTED_SESSION_MINUTE} with prompts`;

/** What pages besides the list say of prices: the beginning and the price, which the code has. */
export const PRICES_ELSEWHERE: Record<string, string[]> = {
  'README.md': [`A session costs ${ofSession}`],
  'docs/guides/account.md': PRICES,
  'docs/guides/agent.md': [
    `and ${credits(RUN_CREDITS)} for the result`,
    `by rules, which cost ${credits(RULES_CREDITS)} more for each page with data`,
    `To start one, a team needs ${credits(RUN_MIN_CREDITS)}`,
  ],
  'docs/guides/browser-sessions.md': [
    `It costs ${ofSession}`,
    `The session costs ${credits(PROMPTED_SESSION_MINUTE)} per minute once a model has replied`,
  ],
  'docs/guides/formats.md': [
    `\`json\` costs ${ofFormat('json')} more`,
    `\`deterministicJson\` always uses rules, and costs ${ofFormat('deterministicJson')} more`,
    `The mode \`json\` costs ${ofFormat('changeTracking', ['json'])} more`,
    `Each costs ${ofFormat('audio')}`,
  ],
  'docs/guides/map.md': [`It costs ${credits(MAP_CREDITS)}`],
  'docs/guides/monitors.md': [
    `A judgment costs ${credits(JUDGED_PAGE)}`,
    `by a language model for ${credits(HISTORY_QUESTION)}`,
    `and ${credits(JUDGED_PAGE)} for each change that is judged`,
  ],
  'docs/guides/parse.md': [
    `Each page of a PDF or TIFF file costs ${credits(DOCUMENT_PAGE)}`,
    `at ${credits(DOCUMENT_PAGE)} per page`,
  ],
  'docs/guides/scrape.md': [
    `\`enhanced\` (also \`stealth\`) costs ${credits(ENHANCED_PAGE)}`,
    `it costs ${credits(LOCKDOWN)}, and ${credits(costOfFailure('SCRAPE_LOCKDOWN_CACHE_MISS'))} if there is no copy`,
    `It costs ${credits(surchargeOf({ zeroDataRetention: true }))} more`,
    `It costs ${credits(surchargeOf({ redactPII: true }))} more`,
  ],
  'docs/guides/search.md': [`Each started ten results cost ${credits(priceOfSearch(1))}`],
  'docs/operations.md': [`the page costs ${credits(costOfFailure('SCRAPE_DNS_RESOLUTION_ERROR'))}`],
};
