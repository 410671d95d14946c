import { z } from 'zod';
import { quote, ServiceError } from '../errors.ts';
import { bounded } from '../json/bounded.ts';
import { withKeywords } from '../json/schema-keywords.ts';
import { monitorSchedule } from './monitor-schedule.ts';
import { monitorTargets } from './monitor-targets.ts';
import { callerFields } from './scrape-options.ts';
import { webhookOf } from './webhook.ts';

const MAX_NAME_CHARACTERS = 256;
const MAX_GOAL_CHARACTERS = 2_000;
export const MAX_TAGS = 20;
export const MAX_TAG_CHARACTERS = 50;
const MAX_RECIPIENTS = 25;
const MAX_EMAIL_CHARACTERS = 254;
const MAX_RETENTION_DAYS = 365;

const email = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe('whether mails are sent, for which the operator needs a mail server'),
    recipients: bounded(z.array(z.email().max(MAX_EMAIL_CHARACTERS).toLowerCase()), {
      entries: MAX_RECIPIENTS,
    })
      .default([])
      .describe('who gets mails, after they have confirmed by a link in the first one'),
    includeDiffs: z.boolean().default(false).describe('whether mails show what differs'),
    digest: z
      .enum(['immediate', 'hourly', 'daily'])
      .default('immediate')
      .describe('a mail for each check with news, or one for all news of an hour, or of a day until 8:00'),
  })
  .refine(({ enabled, recipients }) => !enabled || recipients.length > 0, {
    path: ['recipients'],
    error: 'recipients must have at least one address, because teams have none of their own',
  });

const notification = z.strictObject({ email: email.optional() }).describe('who gets mails of what was found');
export type MonitorNotification = z.output<typeof notification>;

/** Whether a recipient gets mails: only after they have confirmed it, and until they no longer want them. */
export const SUBSCRIPTION_STATES = ['pending', 'confirmed', 'unsubscribed'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATES)[number];

/** A text that is not empty. */
export const monitorText = (characters: number, ifEmpty: string) =>
  withKeywords(
    z
      .string()
      .max(characters)
      .refine((value) => value.trim() !== '', ifEmpty),
    { pattern: '\\S' },
  );

/** What changes matter, in words. */
export const goalText = monitorText(MAX_GOAL_CHARACTERS, 'goal must not be empty');

/** A tag of a monitor. */
const tag = monitorText(MAX_TAG_CHARACTERS, 'a tag must not be empty');

/** The fields of a monitor that a request sets. */
const fields = {
  name: monitorText(MAX_NAME_CHARACTERS, 'name must not be empty').describe('name of the monitor'),
  tags: bounded(z.array(tag), { entries: MAX_TAGS }).describe('groups that the monitor belongs to'),
  schedule: monitorSchedule,
  targets: monitorTargets.describe('what the monitor watches'),
  webhook: webhookOf('monitor'),
  notification,
  retentionDays: z
    .int()
    .min(1)
    .max(MAX_RETENTION_DAYS)
    .describe('days that checks are kept; those that the next check is compared with are kept longer'),
  goal: goalText.describe('what changes matter, in words'),
  judgeEnabled: z
    .boolean()
    .describe(
      'whether a language model judges each change by the goal, which costs 1 credit more; default: true with a goal, also with the first one that the monitor gets later',
    ),
};

/** Body of `POST /v2/monitor`. */
export const createMonitorBody = z
  .strictObject({
    ...fields,
    tags: fields.tags.default([]),
    webhook: fields.webhook.nullish(),
    notification: fields.notification.nullish(),
    retentionDays: fields.retentionDays.default(30),
    goal: fields.goal.nullish(),
    judgeEnabled: fields.judgeEnabled.optional(),
    ...callerFields,
  })
  .superRefine(({ targets, goal, judgeEnabled }, context) => {
    if (lacksGoal(targets, { goal, judgeEnabled }))
      context.addIssue({ code: 'custom', path: ['goal'], message: GOAL_NEEDED, input: goal });
  });
export type CreateMonitorRequest = z.output<typeof createMonitorBody>;

const GOAL_NEEDED = 'a search target needs a goal, or judgeEnabled: false';

/** Whether a monitor with a search has neither a goal nor says that it needs none. */
const lacksGoal = (
  targets: readonly { type: string }[],
  { goal, judgeEnabled }: { goal?: string | null | undefined; judgeEnabled?: boolean | undefined },
) => targets.some(({ type }) => type === 'search') && !goal && judgeEnabled !== false;

/**
 * Requires of a monitor that is changed what its creation requires.
 * @throws ServiceError `BAD_REQUEST`
 */
export function requireGoal({
  targets,
  ...judging
}: {
  targets: readonly { type: string }[];
  goal: string | null;
  judgeEnabled: boolean;
}): void {
  if (lacksGoal(targets, judging)) throw new ServiceError('BAD_REQUEST', `Bad Request: ${GOAL_NEEDED}.`);
}

/** Body of `PATCH /v2/monitor/{id}`: the fields to change; null removes webhook, notification and goal. */
export const updateMonitorBody = z.strictObject({
  ...z.object(fields).partial().shape,
  webhook: fields.webhook.nullish(),
  notification: fields.notification.nullish(),
  goal: fields.goal.nullish(),
  status: z.enum(['active', 'paused']).optional().describe('paused: no check is scheduled'),
  ...z.object(callerFields).partial().shape,
});
export type UpdateMonitorRequest = z.output<typeof updateMonitorBody>;

/** Body of `POST /v2/monitor/{id}/run`; it may be omitted. */
export const runMonitorBody = z.strictObject({ ...callerFields }).optional();

/** Body of `POST /v2/monitor/{id}/feed/rotate`; it may be omitted. */
export const rotateFeedBody = z.strictObject({ ...callerFields }).optional();

/** Path parameters of a monitor. */
export const monitorParams = z.strictObject({
  id: z.uuid({ error: ({ input }) => `${quote(String(input))} is not the id of a monitor, which is a UUID` }),
});

/** The id of a check in a path or query. */
export const checkIdParam = z.uuid({
  error: ({ input }) => `${quote(String(input))} is not the id of a check, which is a UUID`,
});

/** Path parameters of a check. */
export const checkParams = monitorParams.extend({ checkId: checkIdParam });

const count = (fallback: number, least: number, most: number) =>
  z.coerce.number().int().min(least).max(most).default(fallback);

const part = {
  limit: count(25, 1, 100).describe('number of entries'),
  offset: count(0, 0, 1_000_000).describe('number of entries to pass over'),
};

/** Query parameters of the list of monitors. */
export const monitorsQuery = z.strictObject({
  ...part,
  tag: tag.optional().describe('only monitors with this tag'),
});

export const CHECK_STATES = [
  'queued',
  'running',
  'completed',
  'failed',
  'partial',
  'skipped_overlap',
  'skipped_no_credits',
] as const;
export type CheckStatus = (typeof CHECK_STATES)[number];

export const PAGE_STATES = ['same', 'new', 'changed', 'removed', 'error'] as const;
export type MonitorPageStatus = (typeof PAGE_STATES)[number];

/** Query parameters of the list of checks. */
export const checksQuery = z.strictObject({
  ...part,
  status: z.enum(CHECK_STATES).optional().describe('only checks in this state'),
});

/** Query parameters of a check with its pages. */
export const checkQuery = z.strictObject({
  limit: part.limit,
  skip: part.offset,
  status: z.enum(PAGE_STATES).optional().describe('only pages with this outcome'),
});
