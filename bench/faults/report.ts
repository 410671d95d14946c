import { table } from '../figures.ts';
import type { FaultReport } from './round.ts';

const seconds = (ms: number | undefined) => (ms === undefined ? '–' : (ms / 1_000).toFixed(1));

/** Formats what clients saw of each fault, as a table. */
export function formatFaults(reports: FaultReport[]): string {
  const rows = reports.map(
    ({ fault, seconds: lasted, answers, servedAfterMs, pagesAfterMs, round, violations }) => {
      const outcomes = Map.groupBy(answers, ({ outcome }) => outcome);
      const served = outcomes.get('ok')?.length ?? 0;
      const errors = [...outcomes].filter(([outcome]) => outcome !== 'ok');
      return {
        fault,
        'lasted (s)': lasted,
        'scrapes served': `${served} of ${answers.length}`,
        'others got': errors.map(([code, each]) => `${each.length} × ${code}`).join(', ') || '–',
        'longest response (s)': seconds(Math.max(0, ...answers.map(({ ms }) => ms))),
        'scrapes again after (s)': seconds(servedAfterMs),
        'pages again after (s)': seconds(pagesAfterMs),
        'pages of jobs': round.jobs.reduce(
          (sum, { documents, errors: failed }) => sum + documents.length + failed.length,
          0,
        ),
        'lost, twice or wrong': violations.length,
      };
    },
  );
  return table(rows);
}
