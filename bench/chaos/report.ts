import type { MonitorChaosReport } from '../../test/chaos/monitors/run.ts';
import type { ChaosReport } from '../../test/chaos/run.ts';
import type { SessionChaosReport } from '../../test/chaos/sessions/run.ts';
import { table } from '../figures.ts';

/** Formats the report of jobs: a table of jobs, a table of figures, and the violations. */
export function formatReport({ rounds, kills, counts, violations }: ChaosReport): string {
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
    'seconds of all rounds': Math.round(rounds.reduce((sum, { seconds }) => sum + seconds, 0)),
    'longest standstill in seconds': Math.round(
      Math.max(0, ...rounds.map(({ standstillSeconds }) => standstillSeconds)),
    ),
    ...counts,
  };
  return [table(jobs), formatFigures(kills, figures, violations)].join('\n\n');
}

/** Formats the report of browser sessions or monitors: a table of figures, and the violations. */
export function formatFindings({
  kills,
  counts,
  seconds,
  violations,
}: SessionChaosReport | MonitorChaosReport): string {
  return formatFigures(kills, { ...counts, seconds }, violations);
}

function formatFigures(
  kills: Record<string, number>,
  figures: Record<string, number>,
  violations: string[],
): string {
  const rows = [
    ...Object.entries(kills).map(([victim, value]) => ({ figure: `kills of ${victim}`, value })),
    ...Object.entries(figures).map(([figure, value]) => ({ figure, value })),
    { figure: 'violations', value: violations.length },
  ];
  return [table(rows), ...violations.map((text) => `WRONG  ${text}`)].join('\n');
}
