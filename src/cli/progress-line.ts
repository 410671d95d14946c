import type { PageJobHead } from '../schemas/page-job.ts';

const RATE_WINDOW_MS = 15_000;
const MIN_BAR_CELLS = 6;
const MAX_BAR_CELLS = 24;

/** The progress of a job. */
export type JobProgress = Pick<PageJobHead, 'total' | 'completed' | 'failed' | 'creditsUsed' | 'paused'>;

interface Sample {
  atMs: number;
  done: number;
  total: number;
}

/** Renders the progress of a job as one line with rate and remaining time. */
export class ProgressLine {
  #samples: Sample[] = [];
  #latest: JobProgress | undefined;

  /** Adds a sample. @param atMs time in ms of a monotonic clock */
  update(progress: JobProgress, atMs = performance.now()): void {
    const { completed, failed, total } = progress;
    const sample = { atMs, done: completed + failed, total };
    this.#samples = [...this.#samples.filter((each) => atMs - each.atMs <= RATE_WINDOW_MS), sample];
    this.#latest = progress;
  }

  /** Renders the line. @param columns width of the terminal, which adds a bar; `undefined` for plain text */
  text(columns?: number): string {
    const latest = this.#latest;
    if (!latest) return 'starting';
    const { completed, failed, total, creditsUsed } = latest;
    const rate = this.#perSecond();
    const secondsLeft = this.#secondsLeft(rate);
    const facts = [
      `${completed + failed}/${total} pages`,
      latest.paused ? 'paused' : `${rate.toFixed(1)}/s`,
      ...(failed ? [`${failed} failed`] : []),
      ...(secondsLeft === undefined ? [] : [`about ${formatDuration(secondsLeft)} left`]),
      `${creditsUsed} credits`,
    ];
    if (columns === undefined) return facts.join(', ');
    const text = facts.join(' · ');
    const cells = Math.min(MAX_BAR_CELLS, columns - text.length - 1);
    const share = total ? Math.min(1, (completed + failed) / total) : 0;
    return cells < MIN_BAR_CELLS ? text : `${bar(share, cells)} ${text}`;
  }

  #perSecond(): number {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || !last || last.atMs === first.atMs) return 0;
    return Math.max(0, ((last.done - first.done) * 1000) / (last.atMs - first.atMs));
  }

  /**
   * Estimates the remaining time; `undefined` while pages are still being found, because it would mislead.
   */
  #secondsLeft(rate: number): number | undefined {
    const last = this.#samples.at(-1);
    const isSteady = this.#samples.length > 3 && this.#samples.every(({ total }) => total === last?.total);
    if (!last || !isSteady || rate === 0 || last.done >= last.total) return undefined;
    return (last.total - last.done) / rate;
  }
}

function bar(share: number, cells: number): string {
  const full = Math.floor(share * cells);
  return '█'.repeat(full) + '░'.repeat(cells - full);
}

/** Formats seconds as `42 s`, `3 min 20 s` or `2 h 5 min`. */
export function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
