import { sql } from 'kysely';
import type { Database } from '../../../src/storage/db/client.ts';
import { FIRST_TEAM, findTeam } from '../../../src/storage/db/teams/teams.ts';
import type { Findings } from '../findings.ts';
import type { CheckReceiver } from './receiver.ts';

/** A check with its pages and what the ledger has of its jobs. */
interface VerifiedCheck {
  id: string;
  monitorId: string;
  status: string;
  scheduledFor: Date;
  startedAt: Date | null;
  credits: number;
  /** What the ledger has of its jobs. */
  billed: number;
  pages: { url: string; status: string; title: string | null }[];
}

/** Checks are due each minute. */
const INTERVAL_MS = 60_000;
/** What is missed is made up for within this time, in milliseconds: the catch-up window of a schedule. */
const MAX_PAUSE_MS = 600_000;
/** A run that is this much older than the last check is left out, because that has made up for it. */
const MADE_UP_MS = 60_000;

/**
 * Checks that each scheduled check took place once, was billed once, found each change once, and was told once.
 * @param options.credits what the team had before
 */
export async function verifyChecks(
  db: Database,
  { receiver, findings, credits }: { receiver: CheckReceiver; findings: Findings; credits: number },
): Promise<void> {
  const checks = await readChecks(db);
  for (const [monitorId, own] of Map.groupBy(checks, (check) => check.monitorId)) {
    const wrong = (text: string) => findings.wrong(`monitor ${monitorId}: ${text}`);
    verifySchedule(own, { wrong, findings });
    verifyChanges(own, wrong);
  }
  for (const check of checks) {
    findings.count(`checks: ${check.status}`);
    findings.count('pages of checks', check.pages.length);
    const wrong = (text: string) => findings.wrong(`check ${check.id} (${check.status}): ${text}`);
    verifyBill(check, wrong);
    verifyEvents(check, receiver, wrong);
  }
  const spent = checks.reduce((sum, check) => sum + check.billed, 0);
  const { credits_remaining: left } = await findTeam(db, FIRST_TEAM);
  if (left !== credits - spent)
    findings.wrong(`the team has ${left} credits instead of ${credits - spent}: checks cost ${spent}`);
  const known = new Set(checks.map(({ id }) => id));
  for (const { checkId } of receiver.events.values())
    if (!known.has(checkId)) findings.wrong(`an event tells of the check ${checkId}, which does not exist`);
}

async function readChecks({ query }: Database): Promise<VerifiedCheck[]> {
  const { rows } = await sql<VerifiedCheck>`
    select id, monitor_id as "monitorId", status, scheduled_for as "scheduledFor", started_at as "startedAt",
      coalesce(actual_credits, -1) as credits,
      (select coalesce(sum(credits), 0)::int from credit_entries where job_id = monitor_checks.id
        or job_id in (select job_id from monitor_jobs where check_id = monitor_checks.id)) as billed,
      coalesce((select jsonb_agg(jsonb_build_object('url', url, 'status', status, 'title', metadata ->> 'title')
        order by ordinal) from monitor_pages where check_id = monitor_checks.id), '[]') as pages
    from monitor_checks order by scheduled_for`.execute(query);
  return rows;
}

/** Each time of the schedule has one check, unless a later one has made up for it. */
function verifySchedule(
  checks: VerifiedCheck[],
  { wrong, findings }: { wrong: (text: string) => void; findings: Findings },
): void {
  const times = checks.map(({ scheduledFor }) => scheduledFor.getTime());
  const begun = checks.flatMap(({ startedAt }) => (startedAt ? [startedAt.getTime()] : []));
  for (const time of new Set(times))
    if (times.filter((other) => other === time).length > 1) wrong(`${new Date(time)} has several checks`);
  const [first = 0] = times;
  for (let time = first; time <= (times.at(-1) ?? 0); time += INTERVAL_MS) {
    if (times.includes(time)) continue;
    const next = begun.find((each) => each >= time + MADE_UP_MS);
    if (next === undefined || next - time > MAX_PAUSE_MS)
      wrong(`${new Date(time).toISOString()} has no check, and none made up for it`);
    findings.count('times of the schedule that a later check made up for');
  }
}

/** A page counts as changed if and only if it differs from what the check before has read. */
function verifyChanges(checks: VerifiedCheck[], wrong: (text: string) => void): void {
  const titles = new Map<string, string | null>();
  for (const { id, pages } of checks.filter(({ startedAt }) => startedAt)) {
    for (const { url, status, title } of pages) {
      const before = titles.get(url);
      const expected = before === undefined ? 'new' : before === title ? 'same' : 'changed';
      if (status !== expected) wrong(`check ${id} says ${status} of ${url}, which is ${expected}`);
      titles.set(url, title);
    }
  }
}

/** Each page costs one credit. A check that was skipped has no pages. */
function verifyBill({ credits, billed, pages }: VerifiedCheck, wrong: (text: string) => void): void {
  if (billed !== pages.length) wrong(`it has ${pages.length} pages, and was billed ${billed} credits`);
  if (credits !== billed) wrong(`it says that it cost ${credits} credits, the ledger has ${billed}`);
  const urls = new Set(pages.map(({ url }) => url));
  if (urls.size !== pages.length) wrong('it has a page twice');
}

/** Each page and the end of the check arrived under one id. */
function verifyEvents(
  { id, pages }: VerifiedCheck,
  { events }: CheckReceiver,
  wrong: (text: string) => void,
): void {
  const told = [...events.values()].filter(({ checkId }) => checkId === id).map(({ what }) => what);
  const expected = [...pages.map(({ url }) => url), 'monitor.check.completed'];
  for (const what of expected) {
    const times = told.filter((each) => each === what).length;
    if (times !== 1) wrong(`the event of ${what} came under ${times} ids`);
  }
  for (const what of told) if (!expected.includes(what)) wrong(`an event tells of ${what}, which it has not`);
}
