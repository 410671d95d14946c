import { z } from 'zod';
import { pageJobStatus } from '../../src/schemas/page-job.ts';
import type { Plan } from './plans.ts';

const metadata = z.looseObject({
  scrapeId: z.uuid(),
  sourceURL: z.string(),
  statusCode: z.int(),
  creditsUsed: z.int(),
});

/** A status with the part of its documents that is checked. */
export const statusAnswer = pageJobStatus.extend({
  data: z.array(z.looseObject({ markdown: z.string().optional(), metadata })),
});

/** A document of a response. */
export type AnsweredDocument = z.output<typeof statusAnswer>['data'][number];

/** A status without its documents. */
export type Head = Omit<z.output<typeof statusAnswer>, 'data' | 'next'>;

/** Describes what is wrong with a status by itself. */
export function judgeHead(plan: Plan, head: Head): string[] {
  const { status, total, completed, failed, creditsUsed } = head;
  const ended = status !== 'scraping';
  return [
    status === 'failed' || status === 'cancelled' ? `its status is ${status}: ${head.error ?? ''}` : '',
    completed + failed > total ? `${completed} pages are completed and ${failed} failed of ${total}` : '',
    status === 'completed' && completed + failed < total
      ? `it is completed with ${completed} completed and ${failed} failed pages of ${total}`
      : '',
    // A limit may leave out known pages, but no page is added beyond it.
    total > plan.pages ? `there are ${total} pages, at most ${plan.pages} can be` : '',
    plan.isList && total !== plan.pages ? `total is ${total}, ${plan.pages} were given` : '',
    creditsUsed < completed ? `${creditsUsed} credits for ${completed} documents` : '',
    ended !== (head.completedAt !== undefined) ? `it is ${status}, completedAt ${head.completedAt}` : '',
  ].filter(Boolean);
}

/** Describes what is wrong with a status, compared with one from an earlier response. */
export function compareHeads(before: Head, now: Head): string[] {
  const shrunk = (['total', 'completed', 'failed', 'creditsUsed'] as const).filter(
    (name) => now[name] < before[name],
  );
  const isFinal = before.status !== 'scraping';
  return [
    ...shrunk.map((name) => `${name} went back from ${before[name]} to ${now[name]}`),
    ...(isFinal && JSON.stringify(now) !== JSON.stringify(before)
      ? [`it had ended and changed from ${JSON.stringify(before)} to ${JSON.stringify(now)}`]
      : []),
    ...(now.createdAt === before.createdAt ? [] : ['createdAt changed']),
  ];
}
