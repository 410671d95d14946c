import { z } from 'zod';
import { CHECK_STATES, PAGE_STATES, SUBSCRIPTION_STATES } from './monitor.ts';
import { monitorJudgment } from './monitor-judgment.ts';

const time = z.iso.datetime();
const pageCount = z.int();

/** The numbers of pages of a check, by outcome. */
export const monitorSummary = z.object({
  totalPages: pageCount,
  same: pageCount,
  changed: pageCount,
  new: pageCount,
  removed: pageCount,
  error: pageCount,
});
export type MonitorSummary = z.output<typeof monitorSummary>;
export const EMPTY_SUMMARY: MonitorSummary = {
  totalPages: 0,
  same: 0,
  changed: 0,
  new: 0,
  removed: 0,
  error: 0,
};

/** A monitor, as responses contain it. */
const monitor = z
  .object({
    id: z.uuid(),
    name: z.string(),
    tags: z.array(z.string()),
    status: z.enum(['active', 'paused', 'deleted']),
    schedule: z.object({ cron: z.string(), timezone: z.string() }),
    nextRunAt: time.nullable().describe('null while the monitor is paused'),
    lastRunAt: time.nullable(),
    currentCheckId: z.uuid().nullable().describe('the check that is running'),
    targets: z.array(z.looseObject({ id: z.string(), type: z.string() })).describe('as they were sent'),
    webhook: z.looseObject({ url: z.string() }).nullable(),
    notification: z.looseObject({}).nullable(),
    feedUrl: z
      .url()
      .describe('its news as a feed (Atom), for everybody who knows this URL, until it is replaced'),
    retentionDays: z.int(),
    estimatedCreditsPerMonth: z.int().describe('by the last check; before it, by the targets'),
    lastCheckSummary: monitorSummary.nullable(),
    goal: z.string().nullable(),
    judgeEnabled: z.boolean(),
    emailRecipientSubscriptions: z
      .array(
        z.object({
          email: z.string(),
          status: z
            .enum(SUBSCRIPTION_STATES)
            .describe('only recipients who have confirmed get mails of what was found'),
          source: z.literal('opt_in'),
        }),
      )
      .optional()
      .describe('the recipients of mails; lists of monitors leave them out'),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'Monitor' });
export type MonitorResource = z.output<typeof monitor>;

export const checkWarning = z
  .string()
  .nullable()
  .describe('what the check does not do as the monitor wants it, such as to judge changes by its goal');

/** A check, as responses contain it. */
const checkFields = z.object({
  id: z.uuid(),
  monitorId: z.uuid(),
  status: z
    .enum(CHECK_STATES)
    .describe('partial: some pages could not be read; skipped_overlap: the check before was still running'),
  trigger: z.enum(['scheduled', 'manual']),
  scheduledFor: time.nullable(),
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  estimatedCredits: z.int(),
  reservedCredits: z.int(),
  actualCredits: z.int().nullable(),
  billingStatus: z.enum(['not_applicable', 'reserved', 'confirmed']),
  summary: monitorSummary,
  targetResults: z.array(z.looseObject({ targetId: z.string(), type: z.string() })),
  notificationStatus: z
    .object({ email: z.object({ pending: z.int(), sent: z.int(), failed: z.int() }) })
    .nullable()
    .describe('the numbers of mails that tell of the check; null if there are none'),
  error: z.string().nullable(),
  warning: checkWarning,
  createdAt: time,
  updatedAt: time,
});
const monitorCheck = checkFields.meta({ id: 'MonitorCheck' });
export type MonitorCheckResource = z.output<typeof monitorCheck>;

const picture = z
  .string()
  .describe('URL of a picture (PNG), which needs no key and is valid for at least 24 hours');
const changedShare = z.number().describe('share of the pixels that differ, from 0 to 1');

/** What differs between two versions of a page. */
export const monitorDiff = z.object({
  text: z.string().optional().describe('unified diff of the markdown'),
  json: z
    .unknown()
    .optional()
    .describe('the fields that differ, with previous and current value; without data, the diff as data'),
  screenshot: z
    .object({
      changedShare,
      before: picture,
      after: picture,
      difference: picture.describe('URL of the later picture, pale, with the pixels that differ in red'),
    })
    .optional()
    .describe('what differs in the screenshot, if screenshots are compared'),
});

const pageSnapshot = z.object({
  json: z.unknown().optional().describe('the data of the page, if json is compared'),
  screenshot: picture
    .optional()
    .describe(
      'if screenshots are compared, the picture that the next check is compared with: that of an earlier check as long as what differs is less than the threshold',
    ),
  changedShare: changedShare.optional().describe('share of the pixels that differed from the picture before'),
});

/**
 * What differs between two versions of a page, and its data now, as stored: with references to files in place of
 * their URLs.
 */
export interface PageDetails {
  diff?: z.output<typeof monitorDiff>;
  snapshot?: z.output<typeof pageSnapshot>;
}

/** How long a page cannot be read. */
export const pageFailures = z.int().describe('checks in a row, with this one, that could not read the page');
export const pageRecovery = z
  .boolean()
  .describe('whether the page was read again after an event had told that it cannot be read');

/** A page of a check, as responses contain it. */
const checkPage = z
  .object({
    id: z.uuid(),
    targetId: z.string(),
    url: z.string(),
    status: z.enum(PAGE_STATES),
    previousScrapeId: z.uuid().nullable(),
    currentScrapeId: z.uuid().nullable(),
    statusCode: z.int().nullable(),
    error: z.string().nullable(),
    failures: pageFailures,
    isRecovered: pageRecovery,
    metadata: z.looseObject({}).nullable(),
    diff: monitorDiff.nullable(),
    snapshot: pageSnapshot.nullable().describe('what is compared of the page besides its text'),
    judgment: monitorJudgment.nullable().describe('null where the page did not change, or was not judged'),
    createdAt: time,
  })
  .meta({ id: 'MonitorCheckPage' });
export type MonitorPageResource = z.output<typeof checkPage>;

const success = z.literal(true);

/** Response of the requests that create, read and change a monitor. */
export const monitorResponse = z.object({ success, data: monitor });
/** Response of `GET /v2/monitor`, newest first. */
export const monitorsResponse = z.object({
  success,
  data: z.array(monitor),
  tags: z
    .array(z.object({ tag: z.string(), monitors: z.int() }))
    .describe('the tags of all monitors of the team, and how many monitors have each'),
});
/** Response of `DELETE /v2/monitor/{id}`. */
export const deleteMonitorResponse = z.object({ success });
/** Response of `POST /v2/monitor/{id}/run`. */
export const runMonitorResponse = z.object({ success, id: z.uuid(), data: monitorCheck });
/** Response of `GET /v2/monitor/{id}/checks`, newest first. */
export const checksResponse = z.object({ success, data: z.array(monitorCheck) });

const next = z.string().optional().describe('URL of the next pages; absent at the end');
/** Response of `GET /v2/monitor/{id}/checks/{checkId}`. */
export const checkResponse = z.object({
  success,
  next,
  data: checkFields.extend({ pages: z.array(checkPage), next }),
});
