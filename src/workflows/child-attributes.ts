import { workflowInfo } from '@temporalio/workflow';
import type { JobKind as Kind } from '../job-kinds.ts';
import { Host, JobKind, TeamId } from './search-attributes.ts';

/**
 * The search attributes of a job that another one starts, which belongs to the same team. Temporal does not
 * hand them down.
 * @returns none if the parent has none, because it has zero data retention or was started by an earlier version
 */
export function childAttributes(kind: Kind, host: string | undefined) {
  const teamId = workflowInfo().typedSearchAttributes.get(TeamId);
  if (teamId === undefined) return [];
  return [
    { key: TeamId, value: teamId },
    { key: JobKind, value: kind },
    ...(host === undefined ? [] : [{ key: Host, value: host }]),
  ];
}
