import type { ChaosReport } from '../../test/chaos/run.ts';
import { table } from '../figures.ts';

/** Formats the report: a table of jobs, a table of figures, and the violations. */
export function printReport({ rounds, kills, counts, violations }: ChaosReport): string {
  const jobs = rounds.flatMap(({ jobs }, round) =>
    jobs.map(({ plan, head, documents, errors }) => ({
      round: round + 1,
      job: plan.name,
      pages: plan.pages,
      documents: documents.length,
      errors: errors.length,
      credits: head.creditsUsed,
      seconds: Math.round(head.duration ?? 0),
    })),
  );
  const figures = {
    ...Object.fromEntries(Object.entries(kills).map(([victim, count]) => [`kills of ${victim}`, count])),
    'seconds of all rounds': Math.round(rounds.reduce((sum, { seconds }) => sum + seconds, 0)),
    'longest standstill in seconds': Math.round(
      Math.max(0, ...rounds.map(({ standstillSeconds }) => standstillSeconds)),
    ),
    ...counts,
    violations: violations.length,
  };
  const rows = Object.entries(figures).map(([figure, value]) => ({ figure, value }));
  return [table(jobs), table(rows), violations.map((text) => `WRONG  ${text}`).join('\n')]
    .filter(Boolean)
    .join('\n\n');
}
