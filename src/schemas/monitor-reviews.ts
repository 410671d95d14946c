import { z } from 'zod';
import { goalText, monitorText } from './monitor.ts';
import { monitorJudgment } from './monitor-judgment.ts';
import { callerFields } from './scrape-options.ts';

/** The most checks that a goal is tried on. */
const MAX_CHECKS = 10;
const MAX_QUESTION_CHARACTERS = 2_000;
const MAX_URL_CHARACTERS = 8_000;
const success = z.literal(true);
const time = z.iso.datetime();

/** Body of `POST /v2/monitor/{id}/judge`. */
export const judgeMonitorBody = z.strictObject({
  goal: goalText.describe('what changes matter, in words: the goal to try'),
  checks: z.int().min(1).max(MAX_CHECKS).default(MAX_CHECKS).describe('the last checks that it is tried on'),
  ...callerFields,
});

/** A change that was judged once more. */
const judgedAgain = z.object({
  id: z.uuid().describe('the page of the check'),
  checkId: z.uuid(),
  checkedAt: time,
  targetId: z.string(),
  url: z.string(),
  judgment: monitorJudgment.nullable().describe('by the goal of the request; null where the model failed'),
  error: z.string().nullable().describe('why there is no judgment'),
  earlierJudgment: monitorJudgment.nullable().describe('by the goal that the monitor had at the check'),
});
export type JudgedAgain = z.output<typeof judgedAgain>;

/** Response of `POST /v2/monitor/{id}/judge`. */
export const judgeMonitorResponse = z.object({
  success,
  data: z.object({
    goal: z.string(),
    pages: z.array(judgedAgain).describe('the changes of the last checks, newest first'),
    leftOut: z.int().describe('changes that are too many for one request, the oldest ones'),
    creditsUsed: z.int(),
  }),
});

/** Names a page of a monitor. */
export const watchedPage = {
  url: z
    .string()
    .max(MAX_URL_CHARACTERS)
    .optional()
    .describe('the page, as checks name it; may be left out where the monitor watches only one'),
  targetId: z.string().min(1).max(100).optional().describe('the target of the page, where several have it'),
};

/** Body of `POST /v2/monitor/{id}/ask`. */
export const askMonitorBody = z.strictObject({
  question: monitorText(MAX_QUESTION_CHARACTERS, 'question must not be empty').describe(
    'a question about the history of a page, such as when its price was lowest',
  ),
  ...watchedPage,
  ...callerFields,
});

/** Response of `POST /v2/monitor/{id}/ask`. */
export const askMonitorResponse = z.object({
  success,
  data: z.object({
    answer: z.string(),
    evidence: z
      .array(
        z.object({
          checkId: z.uuid(),
          checkedAt: time.describe('when the check saw it'),
          url: z.string(),
          quote: z.string().describe('text of the change that the answer relies on'),
        }),
      )
      .describe('the changes that the answer relies on, oldest first'),
    isPartial: z
      .boolean()
      .describe('whether the history was too long to be read as a whole; its newest part was'),
    creditsUsed: z.int(),
  }),
});
export type HistoryAnswer = Omit<z.output<typeof askMonitorResponse>['data'], 'creditsUsed'>;
