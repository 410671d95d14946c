import { percentile, short, table } from '../figures.ts';
import { describeExpiry } from './expiry.ts';
import type { SizeFigures } from './sizes.ts';
import { describeTenths } from './tenths.ts';
import { type Moment, sumOf } from './watch.ts';

/** Requests for documents at each end of the list that are compared. */
const COMPARED_REQUESTS = 20;

/** The figures of the faster setting of the pipeline. */
const bestOf = (pipeline: SizeFigures['pipeline']) =>
  Object.values(pipeline).reduce((best, each) => (each.perSecond > best.perSecond ? each : best));

/** Formats the figures of one size. */
export function describeSize(figures: SizeFigures): string {
  const { pages, cpuMs, pipeline, moments, history, results, ledger, isRight, expiry } = figures;
  const { documents, distinct, wrong } = results;
  const [first, last] = [moments[0]!, moments.at(-1)!];
  const middle = moments[Math.floor(moments.length / 2)]!;
  const memory = (role: string, pss: (moment: Moment) => number) => ({
    [`${pages} pages`]: role,
    'CPU-ms per page': short(role === 'sum' ? sumOf(cpuMs) : (cpuMs[role] ?? 0)),
    'PSS first MB': short(pss(first)),
    'middle MB': short(pss(middle)),
    'last MB': short(pss(last)),
    'most MB': short(Math.max(...moments.map(pss))),
  });
  const beside = Object.entries(pipeline).map(([atOnce, { perSecond, cpuMs: cpu, peakMb }]) => ({
    'in memory': `${atOnce} at once`,
    'pages/s': short(perSecond),
    'CPU-ms per page': short(cpu),
    'RSS most MB': short(peakMb),
  }));
  return [
    table([
      ...Object.keys(cpuMs)
        .sort()
        .map((role) => memory(role, ({ pssMb }) => pssMb[role] ?? 0)),
      memory('sum', ({ pssMb }) => sumOf(pssMb)),
    ]),
    table(beside),
    describeTenths(moments, pages),
    `${describeRequests(results.requestMs)}
Temporal: ${history.runs} runs, ${history.events} events, the longest ${history.longest} (${short(history.largestKb)} KB).
${isRight ? 'Right' : 'WRONG'}: ${documents} documents of ${distinct} addresses, ${wrong} wrong ones, ${ledger} credits in the ledger.`,
    ...(expiry ? [describeExpiry(expiry)] : []),
  ].join('\n\n');
}

/** Formats how long the requests for documents took at the start of the list and at its end. */
function describeRequests(requestMs: number[]): string {
  const median = (times: number[]) => short(percentile(times, 0.5));
  const [first, last] = [requestMs.slice(0, COMPARED_REQUESTS), requestMs.slice(-COMPARED_REQUESTS)];
  return `Requests for documents: ${requestMs.length}; median of the first ${first.length} ${median(first)} ms, of the last ${last.length} ${median(last)} ms.`;
}

/** Formats all sizes side by side, with the goals. */
export function compareSizes(all: SizeFigures[]): string {
  return table(
    all.map(({ pages, perSecond, cpuMs, pipeline, history, isRight }) => {
      const best = bestOf(pipeline);
      const cost = sumOf(cpuMs);
      const growth = cost / sumOf(all[0]!.cpuMs);
      // The ratio that the drift of the machine's speed alone explains.
      const drift = best.cpuMs / bestOf(all[0]!.pipeline).cpuMs;
      return {
        pages,
        'pages/s': short(perSecond),
        'CPU-ms per page': short(cost),
        'in memory pages/s': short(best.perSecond),
        'in memory CPU-ms': short(best.cpuMs),
        'speed ÷ in memory (≥ 0.9)': (perSecond / best.perSecond).toFixed(2),
        'bookkeeping CPU-ms (≤ 2)': short(cost - best.cpuMs),
        'cost ÷ first size (≤ 1.1)': growth.toFixed(2),
        'without drift': (growth / drift).toFixed(2),
        runs: history.runs,
        'longest history': history.longest,
        right: isRight ? 'yes' : 'NO',
      };
    }),
  );
}
