import { z } from 'zod';

/** What a language model thinks of a change, measured by the goal of its monitor. */
export const monitorJudgment = z
  .object({
    meaningful: z.boolean().describe('whether the change matters for the goal'),
    confidence: z.enum(['high', 'medium', 'low']).describe('how certain the model is'),
    reason: z.string().describe('why, in a sentence or two'),
    meaningfulChanges: z
      .array(
        z.object({
          type: z.enum(['added', 'removed', 'changed']),
          before: z.string().nullable().describe('text that is gone, as the page had it'),
          after: z.string().nullable().describe('text that is new, as the page has it'),
          reason: z.string().describe('why it matters for the goal'),
        }),
      )
      .describe('the parts of the change that matter; each is in the difference'),
  })
  .meta({ id: 'MonitorJudgment' });
export type MonitorJudgment = z.output<typeof monitorJudgment>;
