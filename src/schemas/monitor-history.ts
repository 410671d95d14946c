import { z } from 'zod';
import { checkIdParam, PAGE_STATES } from './monitor.ts';
import { monitorJudgment } from './monitor-judgment.ts';
import { monitorDiff } from './monitor-results.ts';
import { watchedPage } from './monitor-reviews.ts';

const success = z.literal(true);
const time = z.iso.datetime();
const MAX_FIELD_CHARACTERS = 200;
const limit = (fallback: number, most: number) => z.coerce.number().int().min(1).max(most).default(fallback);
const check = { checkId: z.uuid(), checkedAt: time };
const url = z.string().describe('the page');

/** Query parameters of `GET /v2/monitor/{id}/history`. */
export const historyQuery = z.strictObject({
  ...watchedPage,
  limit: limit(50, 200).describe('number of checks, the newest ones'),
});

/** Response of `GET /v2/monitor/{id}/history`. */
export const historyResponse = z.object({
  success,
  data: z
    .array(
      z.object({
        ...check,
        targetId: z.string(),
        url,
        status: z.enum(PAGE_STATES),
        hasVersion: z.boolean().describe('whether it can be compared with others'),
        judgment: monitorJudgment.nullable(),
      }),
    )
    .describe('what checks found of the page, newest first'),
});

/** Query parameters of `GET /v2/monitor/{id}/series`. */
export const seriesQuery = z.strictObject({
  ...watchedPage,
  field: z
    .string()
    .min(1)
    .max(MAX_FIELD_CHARACTERS)
    .optional()
    .describe('only this field, such as price or offers.0.price'),
  limit: limit(200, 1_000).describe('number of checks, the newest ones'),
});

const dataValue = z.union([z.string(), z.number(), z.boolean()]);

/** Response of `GET /v2/monitor/{id}/series`. */
export const seriesResponse = z.object({
  success,
  data: z
    .array(
      z.object({
        field: z.string(),
        points: z.array(z.object({ ...check, value: dataValue })).describe('oldest first'),
      }),
    )
    .describe('a series for each value of the data of the page, by name'),
});

/** Query parameters of `GET /v2/monitor/{id}/compare`. */
export const compareQuery = z.strictObject({
  ...watchedPage,
  from: checkIdParam.describe('the earlier check'),
  to: checkIdParam.describe('the later check'),
});

/** Response of `GET /v2/monitor/{id}/compare`. */
export const compareResponse = z.object({
  success,
  data: z.object({
    url,
    from: z.object(check),
    to: z.object(check),
    isSame: z.boolean().describe('whether nothing but what never counts differs'),
    diff: monitorDiff.nullable().describe('null where nothing differs, or too much'),
  }),
});
