import { html } from 'htm/preact';
import { type JobStatus, STATE_TITLES } from './listed-job.ts';

/**
 * The state of a job, in words and by a colour. A job some of whose pages failed has not that of success.
 * @param failed how many of its pages failed
 */
export const State = ({
  status,
  isPaused = false,
  failed = 0,
}: {
  status: JobStatus;
  isPaused?: boolean;
  failed?: number | undefined;
}) =>
  html`<span class=${`state ${isPaused ? 'paused' : status} ${failed > 0 ? 'partly' : ''}`}>${isPaused ? 'Paused' : STATE_TITLES[status]}</span>`;

/** How far a batch or crawl is. */
export function Progress({ total, completed, failed }: { total: number; completed: number; failed: number }) {
  const share = (part: number) => `${total ? (100 * part) / total : 0}%`;
  const text = `${(completed + failed).toLocaleString()} of ${total.toLocaleString()} pages${failed ? `, ${failed.toLocaleString()} failed` : ''}`;
  return html`
    <span class="progress" role="img" aria-label=${text} title=${text}>
      <span class="done" style=${{ width: share(completed) }} /><span class="failed" style=${{ width: share(failed) }} />
    </span>`;
}
