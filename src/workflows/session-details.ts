import type { SessionEndReason } from '../schemas/session-end.ts';
import type { SessionUsage } from '../sessions/session-usage.ts';
import type { SessionOutcome } from '../storage/db/sessions.ts';

/** A session that is starting or in use. Times are in milliseconds since 1970. */
interface RunningSession {
  isOpen: boolean;
  usage?: SessionUsage | undefined;
  expiresAt: number;
  activityTtlMs: number;
  lastActivityAt: number;
}

/** A session that has ended. */
interface EndedSession {
  reason: SessionEndReason;
  outcome: SessionOutcome | undefined;
  usage?: SessionUsage | undefined;
}

/** The text that the Temporal UI shows of a session. Nothing in it comes from its pages or its code. */
export function describeSession(session: RunningSession | EndedSession): string {
  return 'reason' in session ? describeEnd(session) : describeState(session);
}

const describeState = ({ isOpen, usage, expiresAt, activityTtlMs, lastActivityAt }: RunningSession) =>
  formatList(isOpen ? 'Active' : 'Starting', [
    `last activity: ${formatTime(lastActivityAt)}; it ends after ${activityTtlMs / 1000} seconds without`,
    `ends at the latest: ${formatTime(expiresAt)}`,
    ...(usage
      ? [
          `calls: ${usage.calls}`,
          ...describePrompts(usage),
          `clients now: ${usage.clients}`,
          `viewers now: ${usage.viewers}`,
        ]
      : []),
  ]);

const describeEnd = ({ reason, outcome, usage }: EndedSession) =>
  formatList(`Ended: ${reason}`, [
    `${Math.round((outcome?.durationMs ?? 0) / 1000)} seconds`,
    `${outcome?.credits ?? 0} credits`,
    ...(usage
      ? [`calls: ${usage.calls}`, ...describePrompts(usage), `viewers at most: ${usage.mostViewers}`]
      : []),
  ]);

/** The prompts and the kinds of their steps. Hosts of earlier versions do not report them. */
function describePrompts({ prompts, promptSteps = {} }: Partial<SessionUsage>): string[] {
  if (!prompts) return [];
  const steps = Object.entries(promptSteps).map(([tool, count]) => `${tool} ${count}`);
  return [`prompts: ${prompts}${steps.length ? ` (steps: ${steps.join(', ')})` : ''}`];
}

const formatTime = (at: number) => new Date(at).toISOString();

const formatList = (title: string, items: string[]) =>
  [`**${title}**`, '', ...items.map((item) => `- ${item}`)].join('\n');
