import { z } from 'zod';
import { bounded } from '../../json/bounded.ts';
import { unlessEmpty } from '../../json/unless-empty.ts';
import { extractData, jsonSchema, promptText } from '../extraction/data-request.ts';
import type { Content } from '../html/content.ts';
import type { DataSource } from './data-by-model.ts';
import {
  defineFormat,
  type Finished,
  type FinishServices,
  NO_MODEL,
  type RenderedFields,
  type Substitute,
} from './format.ts';

const line = { content: z.string().describe('the line after a space, - or +') };
const change = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('normal'),
    normal: z.literal(true),
    ln1: z.int(),
    ln2: z.int(),
    ...line,
  }),
  z.object({ type: z.literal('del'), del: z.literal(true), ln: z.int(), ...line }),
  z.object({ type: z.literal('add'), add: z.literal(true), ln: z.int(), ...line }),
]);
const chunk = z.object({ content: z.string().describe('such as @@ -1,3 +1,3 @@'), changes: z.array(change) });
const diff = z.object({
  text: z.string().describe('unified diff of the markdown'),
  json: z
    .object({ files: z.array(z.object({ from: z.null(), to: z.null(), chunks: z.array(chunk) })) })
    .describe('the same diff as data'),
});
/** The most modes, which may be repeated. */
const MAX_MODES = 10;
const request = z.strictObject({
  type: z.literal('changeTracking'),
  modes: bounded(z.array(z.enum(['git-diff', 'json'])), { entries: MAX_MODES }).default([]),
  schema: jsonSchema.optional().describe('schema of the data that the mode json compares'),
  prompt: unlessEmpty(promptText).describe('prompt for the data that the mode json compares'),
  tag: z.string().nullable().default(null).describe('a scrape is compared with scrapes of the same tag only'),
});

type Tracking = z.output<typeof request>;

/** The parts of the page that `finish` uses. */
interface Prepared {
  fingerprint: Uint8Array;
  /** The data for the mode `json`; absent in other modes, and if it is that of the format `json`. */
  data?: PreparedData;
}

interface PreparedData {
  /** The data by rules. */
  byRules: Substitute;
  /**
   * The source from which a model extracts the data; absent without a model, or without schema and prompt.
   */
  source?: DataSource;
}

const SUBJECT = 'The json of changeTracking';
const NO_HISTORY =
  'changeTracking was left out, because with zero data retention or lockdown no earlier version of the page is kept.';

const PAGE_IS_PARTIAL =
  'changeTracking was left out, because the page was loaded only in part: the missing part would look removed. The next scrape is compared with the last complete one.';

const notThePage = (statusCode: number, isChallenge: boolean) =>
  `changeTracking was left out, because the target responded with ${isChallenge ? 'a challenge' : `HTTP ${statusCode}`} instead of the page. The next scrape is compared with the last one that got the page.`;

const leftOut = (warning: string): Finished => ({ fields: {}, made: [], warnings: [warning] });

/**
 * Prepares the data that is compared. A request without a schema or prompt of its own takes the value of the
 * format `json`.
 */
async function prepareData(
  content: Content,
  { schema, prompt }: Tracking,
  { fields, hasModel }: RenderedFields,
): Promise<PreparedData | undefined> {
  const hasOwn = schema !== undefined || prompt !== undefined;
  if (!hasOwn && fields.json !== undefined) return undefined;
  const warnings: string[] = [];
  const warn = (warning: string) => warnings.push(warning);
  const { readDataSource } = await import('./data-by-model.ts');
  const value = await extractData(content, { schema, prompt }, warn, SUBJECT);
  return { byRules: { value, warnings }, ...(hasOwn && hasModel && { source: readDataSource(content) }) };
}

/** Finds the request for change tracking among the requested formats. */
export const findTracking = (formats: readonly { type: string }[]): Tracking | undefined =>
  formats.find((format): format is Tracking => format.type === 'changeTracking');

/**
 * The changes of the page since the team's last scrape with this format. Made in `change-history/`.
 */
export const changeTracking = defineFormat({
  field: 'changeTracking',
  request,
  value: z.object({
    previousScrapeAt: z.iso.datetime().nullable(),
    changeStatus: z
      .enum(['new', 'same', 'changed', 'removed'])
      .describe('removed: the server responded with 404 or 410'),
    visibility: z
      .enum(['visible', 'hidden'])
      .describe('hidden: no link or sitemap led the crawl to the page, which it knows from an earlier crawl'),
    diff: diff.optional().describe('only in the mode git-diff, and only for a changed page'),
    json: z
      .record(z.string(), z.object({ previous: z.unknown(), current: z.unknown() }))
      .optional()
      .describe('the fields that differ; only in the mode json, and only for a changed page'),
  }),
  cache: 'refresh',
  // Content that is missing because the page was read too early would count as removed.
  minWaitMs: ({ zeroDataRetention }) => (zeroDataRetention ? 0 : 5_000),
  isUnique: true,
  requires: ['markdown'],
  conflicts: {
    minAge:
      'minAge returns a cached copy, but the changeTracking format needs the current page: leave one of them out',
  },
  async prepare(content, tracking, rendered): Promise<Prepared> {
    const data = tracking.modes.includes('json') ? await prepareData(content, tracking, rendered) : undefined;
    const { computeFingerprint } = await import('../changes/fingerprint.ts');
    return { fingerprint: computeFingerprint(content.markdown), ...(data && { data }) };
  },
  async finish([{ request: tracking, prepared }], { snapshot, fields, isGone, isRecordable, services }) {
    const { statusCode, challenge, isPartial } = snapshot;
    if (!isRecordable) return leftOut(NO_HISTORY);
    if (!isGone && (statusCode >= 400 || challenge)) return leftOut(notThePage(statusCode, statusCode < 400));
    if (isPartial) return leftOut(PAGE_IS_PARTIAL);
    // The value was returned by `prepare` above.
    const { fingerprint, data } = prepared as Prepared;
    const { markdown } = fields;
    const found = tracking.modes.includes('json') ? dataFinder(data, tracking, { fields, services }) : {};
    const current =
      !isGone && typeof markdown === 'string' ? { markdown, fingerprint, ...found.content } : undefined;
    const { changeTracking: value, warnings } = await services.trackChanges({ ...tracking, current });
    const { value: json, warnings: ofJson = [] } = (await found.result?.()) ?? {};
    if (value === undefined) return { fields: {}, made: [], warnings: [...ofJson, ...warnings] };
    // Data that was extracted for the comparison costs as much as the format `json`, but only once.
    const made = ['changeTracking', ...(json === undefined ? [] : ['json'])];
    return { fields: { changeTracking: value }, made, warnings: [...ofJson, ...warnings] };
  },
});

/** The data of a page for the mode `json`. */
interface FoundData {
  /** Its part of the content that is compared. */
  content?: { json?: unknown; findJson?(): Promise<unknown> };
  /** The data if it was needed, with the warnings about it. */
  result?(): Promise<Substitute | undefined>;
}

/**
 * Finds the data that is compared: the value of the format `json`, or data by rules, or data by a language
 * model, which is asked only when the data is needed.
 */
function dataFinder(
  data: PreparedData | undefined,
  tracking: Tracking,
  { fields, services: { askModel } }: { fields: Record<string, unknown>; services: FinishServices },
): FoundData {
  const known = data?.source ? undefined : fields.json;
  if (!data || known !== undefined) return { content: { json: known } };
  const { source, byRules } = data;
  if (!askModel || !source) {
    const warnings = askModel ? byRules.warnings : [NO_MODEL, ...byRules.warnings];
    return { content: { json: byRules.value }, result: async () => ({ ...byRules, warnings }) };
  }
  let asked: Promise<Substitute> | undefined;
  const ask = () =>
    askModel(
      'changeTracking',
      async (services) => {
        const { askForData } = await import('./data-by-model.ts');
        return askForData(source, tracking, { services, subject: SUBJECT });
      },
      { substitute: byRules, subject: 'the json of changeTracking' },
    );
  const findJson = async () => {
    asked ??= ask();
    return (await asked).value;
  };
  return { content: { findJson }, result: async () => asked };
}
