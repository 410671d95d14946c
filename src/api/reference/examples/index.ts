import type { Example, Examples } from './example.ts';
import { JOB_EXAMPLES } from './jobs.ts';
import { MONITOR_EXAMPLES } from './monitors.ts';
import { RESULT_EXAMPLES } from './results.ts';
import { SESSION_EXAMPLES } from './sessions.ts';
import { TEAM_EXAMPLES } from './team.ts';

export { JOB_ID, SITE } from './example.ts';

/** The examples of all routes, by their method and path. */
export const EXAMPLES: Examples = {
  ...JOB_EXAMPLES,
  ...MONITOR_EXAMPLES,
  ...RESULT_EXAMPLES,
  ...SESSION_EXAMPLES,
  ...TEAM_EXAMPLES,
};

/** The examples of requests and of the response, as members of their descriptions. */
export function examplesOf({ requests = [], response }: Partial<Example>) {
  const entries = requests.map(({ summary, body }, index) => [
    `example${index + 1}`,
    { summary, value: body },
  ]);
  return {
    ofRequest: entries.length ? { examples: Object.fromEntries(entries) } : {},
    ofResponse: response === undefined ? {} : { example: response },
  };
}
