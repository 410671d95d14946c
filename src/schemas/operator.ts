import { z } from 'zod';

const success = z.literal(true);
const timestamp = z.iso.datetime();
/** The largest number that the database stores as a limit. */
const MAX_LIMIT = 2_147_483_647;
const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;

/** Why a team has a slot, behind the name of the limit. */
export const NEEDS_SLOT =
  'must be at least 1, because scrapes of a team without a slot would only time out. Revoke the keys of a team that may not scrape';

const credits = z
  .int()
  .min(0)
  .max(MAX_AMOUNT)
  .nullable()
  .describe('credits that are left, of as many that were granted; null: no limit');

const limit = z.int().min(0).max(MAX_LIMIT).nullable();

/** The limits of a team that an operator sets. */
const limits = {
  credits,
  rateLimitPerMinute: z.int().min(0).max(MAX_LIMIT).describe('requests per minute'),
  concurrency: z.int().min(1, NEEDS_SLOT).max(MAX_LIMIT).describe('pages at a time'),
  sessions: z.int().min(0).max(MAX_LIMIT).describe('browser sessions at a time; 0: none'),
  openJobs: limit.describe('batches, crawls, agents and extracts that are open at once; null: no limit'),
  monitors: limit.describe('monitors; null: WINNOW_MAX_MONITORS'),
  storedMegabytes: limit.describe('MiB of results that have not expired; null: no limit'),
  modelTokensPerDay: z
    .int()
    .min(0)
    .max(MAX_AMOUNT)
    .nullable()
    .describe('tokens of language models in a day (UTC), after which rules take their place; null: no limit'),
  zeroDataRetention: z.boolean().describe('whether its jobs may request zero data retention'),
};

/** Path parameters of a team. */
export const teamParams = z.object({ name: z.string().describe('name of the team') });
/** Path parameters of a key of a team. */
export const keyParams = teamParams.extend({ key: z.string().describe('name of the key') });

/** Body of `POST /admin/teams`. */
export const newTeamBody = z.strictObject({
  name: z.string().describe('name of the team: 1 to 100 characters'),
  credits: credits
    .optional()
    .describe('credits that it starts with; null: no limit; default: those of a new team'),
});

/** Body of `PATCH /admin/teams/{name}`. */
export const teamChangeBody = z
  .strictObject(limits)
  .partial()
  .refine((change) => Object.keys(change).length > 0, {
    error: `There is nothing to change. Give one of ${Object.keys(limits).join(', ')}`,
  });

/** Body of `POST /admin/teams/{name}/keys`. */
export const newKeyBody = z.strictObject({
  name: z.string().min(1).max(100).describe('name of the key, which the team has no other one of'),
});

const team = z
  .object({
    id: z.uuid(),
    name: z.string(),
    creditsRemaining: z.int().nullable().describe('null: no limit'),
    creditsPlanned: z.int().nullable(),
    rateLimitPerMinute: z.int(),
    concurrency: z.int(),
    sessions: z.int(),
    openJobs: z.int().nullable(),
    monitors: z.int().nullable(),
    storedMegabytes: z.int().nullable(),
    modelTokensPerDay: z.int().nullable(),
    zeroDataRetention: z.boolean(),
    createdAt: timestamp,
  })
  .meta({ id: 'Team' });

export const teamResponse = z.object({ success, data: team });
export const teamsResponse = z.object({ success, data: z.array(team) });
export const newKeyResponse = z.object({
  success,
  data: z.object({ name: z.string(), key: z.string().describe('the key, which cannot be shown again') }),
});
export const revokedResponse = z.object({ success });

/** Response of `GET /admin/health`. */
export const healthResponse = z.object({
  success,
  data: z.object({
    isReady: z.boolean().describe('whether all parts respond'),
    parts: z
      .record(z.string(), z.string())
      .describe('each part of the service: ok, or what is wrong with it'),
    workers: z.array(
      z.object({
        id: z.string(),
        roles: z.array(z.string()).describe('the kinds of work that it takes'),
        hostsSessions: z.boolean(),
        sessions: z.int().describe('browser sessions that run on it'),
        hasRoom: z.boolean().describe('whether it has memory for another browser session'),
        tasks: z.int().describe('activities that run on it'),
        cores: z
          .number()
          .describe(
            'processor time of its process in the last seconds, as a number of cores; browsers do not count',
          ),
        memoryBytes: z.int().describe('memory of its process; browsers do not count'),
        seenAt: timestamp.describe('when it reported last'),
      }),
    ),
    openJobs: z
      .array(
        z.object({
          kind: z.string(),
          count: z.int(),
          oldest: timestamp.describe('when the oldest was begun'),
        }),
      )
      .describe('the jobs that have not ended, by kind'),
    queues: z
      .array(
        z.object({
          role: z.string().describe('the role of the workers that take from it'),
          waiting: z.int().describe('tasks that wait, as Temporal estimates them'),
          oldestMs: z.int().describe('how long the oldest of them has waited'),
        }),
      )
      .describe(
        'the queues of the roles, and that of the steps of workflows; empty if Temporal does not respond',
      ),
    disks: z
      .array(z.object({ path: z.string(), freeBytes: z.int(), totalBytes: z.int() }))
      .describe('the disks that the API server writes to'),
    databaseBytes: z.int().describe('size of the database on its disk'),
    deliveries: z.object({ pending: z.int(), failed: z.int().describe('of the last day') }),
    features: z.object({
      model: z.string().nullable().describe('the language model; null: rules take its place'),
      search: z.string().describe('what searches the web'),
    }),
    versions: z.object({
      winnow: z.string(),
      node: z.string(),
      postgres: z.string(),
      temporal: z.string().describe('empty if it does not respond'),
    }),
    uptimeSeconds: z.number().describe('since the start of the API server'),
  }),
});
