import { percentile, short, table } from '../figures.ts';
import { cpuPerPage, type Moment, sumOf } from './watch.ts';

/** The figures of one tenth of a crawl; of more than a tenth where a quick crawl has no moment in between. */
interface Tenth {
  /** Number of finished pages at its end. */
  completed: number;
  perSecond: number;
  /** CPU milliseconds per page, by role. */
  cpuMs: Record<string, number>;
  /** Memory at its end, by role. */
  pssMb: Record<string, number>;
  /** The median of the times that its requests for the status took. */
  statusMs: number;
}

/** Lists the tenths of a crawl that are over. @param pages number of pages of the whole crawl */
export function listTenths(moments: Moment[], pages: number): Tenth[] {
  const tenths: Tenth[] = [];
  let from = 0;
  for (const [index, { completed }] of moments.entries()) {
    const start = moments[from]!;
    if (Math.floor((10 * completed) / pages) <= Math.floor((10 * start.completed) / pages)) continue;
    tenths.push(tenthOf(moments.slice(from, index + 1)));
    from = index;
  }
  return tenths;
}

/** @param moments the last one of the tenth before, and those of this one */
function tenthOf(moments: Moment[]): Tenth {
  const [from, to] = [moments[0]!, moments.at(-1)!];
  const pages = to.completed - from.completed;
  return {
    completed: to.completed,
    perSecond: (pages / (to.atMs - from.atMs)) * 1000,
    cpuMs: cpuPerPage(from, to, pages),
    pssMb: to.pssMb,
    statusMs: percentile(
      moments.slice(1).map(({ statusMs }) => statusMs),
      0.5,
    ),
  };
}

/**
 * Formats the tenths of a crawl that has ended, and compares the cost of a page in the last one with that in
 * the first.
 */
export function describeTenths(moments: Moment[], pages: number): string {
  const tenths = listTenths(moments, pages);
  const roles = Object.keys(moments[0]!.cpuMs).sort();
  const rows = tenths.map(({ completed, perSecond, cpuMs, pssMb, statusMs }) => ({
    'pages done': completed,
    'pages/s': short(perSecond),
    'CPU-ms per page': short(sumOf(cpuMs)),
    'status ms': short(statusMs),
    ...Object.fromEntries(
      roles.map((role) => [
        `${role} CPU-ms, MB`,
        `${(cpuMs[role] ?? 0).toFixed(2)}, ${short(pssMb[role] ?? 0)}`,
      ]),
    ),
  }));
  const [first, last] = [tenths[0], tenths.at(-1)];
  if (!first || !last) return 'No page was done.';
  const growth = sumOf(last.cpuMs) / sumOf(first.cpuMs);
  return `${table(rows)}\n\nCPU time of a page in the last tenth ÷ in the first (≤ 1.1): ${growth.toFixed(2)}.`;
}
