import type { Config } from '../../config.ts';
import { JOB_KINDS, type JobKind, workflowIdOf } from '../../job-kinds.ts';
import { isLoopback } from '../../url/loopback.ts';

/** Where Temporal's web interface is. */
export type TemporalUi = Pick<Config, 'temporalUi' | 'temporalNamespace'>;

/**
 * The URLs of the workflows of jobs in Temporal's web interface, by the kind of a job and without its id. One
 * that only this machine reaches is no use to viewers elsewhere.
 */
export function workflowUrls({ temporalUi, temporalNamespace }: TemporalUi, viewedHost: string) {
  const url = temporalUi === undefined ? null : URL.parse(temporalUi);
  if (!url || (isLoopback(url.hostname) && !isLoopback(viewedHost))) return {};
  const base = `${temporalUi}/namespaces/${encodeURIComponent(temporalNamespace)}/workflows/`;
  const kinds = Object.keys(JOB_KINDS) as JobKind[];
  return Object.fromEntries(kinds.map((kind) => [kind, base + encodeURIComponent(workflowIdOf(kind, ''))]));
}
