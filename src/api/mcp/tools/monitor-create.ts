import { z } from 'zod';
import { ServiceError } from '../../../errors.ts';
import { bounded } from '../../../json/bounded.ts';
import { monitorResponse } from '../../../schemas/monitor-results.ts';
import { defineTool } from '../tool.ts';

const texts = bounded(z.array(z.string()), { entries: 1_000 });

const input = z.strictObject({
  page: z.string().optional().describe('URL of the page to watch'),
  pages: texts.optional().describe('URLs of more pages to watch'),
  queries: texts.optional().describe('searches whose results are watched, in place of pages'),
  searchWindow: z.enum(['5m', '15m', '1h', '6h', '24h', '7d']).optional().describe('age of results'),
  maxResults: z.int().optional().describe('number of results of each search'),
  includeDomains: texts.optional(),
  excludeDomains: texts.optional(),
  goal: z.string().optional().describe('what changes matter, in words'),
  name: z.string().optional().describe('name of the monitor; by its target if absent'),
  scheduleText: z.string().optional().describe('such as "every day at 9 am"; every 30 minutes if absent'),
  timezone: z.string().optional().describe('such as Europe/Berlin; UTC if absent'),
  webhookUrl: z.string().optional().describe('URL that changes are sent to'),
  email: z
    .string()
    .optional()
    .describe(
      'address that gets mails of changes after its owner has confirmed; refused where the operator has no mail server',
    ),
  includeDiffs: z.boolean().optional().describe('whether a mail has the differences'),
  body: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('the whole request of POST /v2/monitor, in place of the other parameters'),
});
type Arguments = z.input<typeof input>;

/** Creates a monitor. */
export const monitorCreate = defineTool({
  name: 'firecrawl_monitor_create',
  title: 'Create a monitor',
  description:
    'Watches pages or the results of searches on a schedule, and tells what has changed. Give page or pages, or queries, with a goal and a schedule in words; body has every option. Each check costs as much as scraping its pages.',
  input,
  output: monitorResponse,
  hints: { openWorld: true },
  run(args, { call }) {
    requireUsed(args);
    return call({ method: 'post', path: '/v2/monitor', body: args.body ?? toRequest(args) });
  },
});

const isFilled = (list: unknown) => Array.isArray(list) && list.length > 0;

/** Parameters that have an effect only beside another one. */
const NEEDS = {
  searchWindow: 'queries',
  maxResults: 'queries',
  includeDomains: 'queries',
  excludeDomains: 'queries',
  includeDiffs: 'email',
} as const;

/** @throws ServiceError `BAD_REQUEST` for parameters that others leave without an effect */
function requireUsed({ body, ...args }: Arguments): void {
  const given = Object.entries(args).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (body !== undefined && given.length)
    throw new ServiceError(
      'BAD_REQUEST',
      `body is the whole request, in place of ${given.join(', ')}. Write all of it in body, or leave body out.`,
    );
  if (isFilled(args.queries) && (args.page !== undefined || isFilled(args.pages)))
    throw new ServiceError(
      'BAD_REQUEST',
      'A monitor by queries watches their results in place of pages. Create two monitors, or give body with both targets.',
    );
  if (body !== undefined) return;
  for (const [name, other] of Object.entries(NEEDS))
    if (given.includes(name) && !given.includes(other))
      throw new ServiceError(
        'BAD_REQUEST',
        `${name} has no effect without ${other}. Give ${other}, or leave ${name} out.`,
      );
}

function toRequest(args: Arguments): Record<string, unknown> {
  const { goal, scheduleText = 'every 30 minutes', timezone = 'UTC', webhookUrl, email } = args;
  const { target, label } = targetOf(args);
  return {
    name: args.name ?? `Monitor ${label}`.slice(0, 256),
    schedule: { text: scheduleText, timezone },
    goal,
    targets: [target],
    ...(webhookUrl !== undefined && {
      webhook: { url: webhookUrl, events: ['monitor.page', 'monitor.check.completed'] },
    }),
    ...(email !== undefined && {
      notification: {
        email: { enabled: true, recipients: [email], includeDiffs: args.includeDiffs ?? false },
      },
    }),
  };
}

/** @throws ServiceError `BAD_REQUEST` if there is nothing to watch */
function targetOf({ page, pages = [], queries = [], ...options }: Arguments) {
  const { searchWindow, maxResults, includeDomains, excludeDomains } = options;
  const [query] = texts.parse(queries);
  if (query !== undefined) {
    const limits = { searchWindow, maxResults, includeDomains, excludeDomains };
    return { target: { type: 'search', queries, ...limits }, label: query };
  }
  const urls = page === undefined ? texts.parse(pages) : [page, ...texts.parse(pages)];
  const [url] = urls;
  if (url !== undefined) return { target: { type: 'scrape', urls }, label: url };
  throw new ServiceError(
    'BAD_REQUEST',
    'There is nothing to watch. Give page (a URL), pages (several URLs), queries or body.',
  );
}
