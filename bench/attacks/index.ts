import { AGENT_ATTACKS } from './agents.ts';
import type { Attack } from './attack.ts';
import { CONNECTION_ATTACKS } from './connections.ts';
import { FILE_ATTACKS } from './files.ts';
import { JOB_ATTACKS } from './jobs.ts';
import { MONITOR_ATTACKS } from './monitors.ts';
import { NEIGHBOUR_ATTACKS } from './neighbours.ts';
import { OLDER_ATTACKS } from './older-routes.ts';
import { ORIGIN_ATTACKS } from './origins.ts';
import { PAGE_ATTACKS } from './pages.ts';
import { REQUEST_ATTACKS } from './requests.ts';
import { SESSION_ATTACKS } from './sessions.ts';
import { TOOL_ATTACKS } from './tools.ts';

/**
 * The attacks in groups that run at the same time in the tests. Together they use every operation of the API
 * reference, and of version 1.
 */
export const GROUPS: Record<string, readonly Attack[]> = {
  'requests and connections': [...REQUEST_ATTACKS, ...CONNECTION_ATTACKS],
  'other origins and users of the machine': [...ORIGIN_ATTACKS, ...NEIGHBOUR_ATTACKS],
  jobs: [...JOB_ATTACKS, ...MONITOR_ATTACKS],
  'pages and agents': [...PAGE_ATTACKS, ...AGENT_ATTACKS, ...TOOL_ATTACKS],
  'files, sessions and version 1': [...FILE_ATTACKS, ...SESSION_ATTACKS, ...OLDER_ATTACKS],
};

/** All attacks. */
export const ATTACKS: readonly Attack[] = Object.values(GROUPS).flat();
