import { setTimeout as sleep } from 'node:timers/promises';
import { fieldsOf } from '../json/json-object.ts';
import type { ServiceRequests } from './running-service.ts';

const POLL_MS = 1_000;
/** The most entries of a response. */
const PART = 100;

type Fields = Record<string, unknown>;

/** The path of a monitor. @param id as the user has typed it */
export const monitorPath = (id: string) => `/v2/monitor/${encodeURIComponent(id)}`;

/** Reads a list of the API to its end. @param path without a query */
export async function readAll({ send }: ServiceRequests, path: string): Promise<Fields[]> {
  const all: Fields[] = [];
  for (;;) {
    const query = `?limit=${PART}&offset=${all.length}`;
    const { data } = await send({ method: 'GET', path: `${path}${query}` });
    const part = (Array.isArray(data) ? data : []).map(fieldsOf);
    all.push(...part);
    if (part.length < PART) return all;
  }
}

/** Reads a check with all of its pages. */
export async function readCheck(
  { send }: ServiceRequests,
  { id, checkId }: { id: string; checkId: string },
): Promise<Fields & { pages: Fields[] }> {
  const pages: Fields[] = [];
  for (;;) {
    const path = `${monitorPath(id)}/checks/${encodeURIComponent(checkId)}?limit=${PART}&skip=${pages.length}`;
    const { data, next } = await send({ method: 'GET', path });
    const check = fieldsOf(data);
    pages.push(...(Array.isArray(check.pages) ? check.pages : []).map(fieldsOf));
    if (next === undefined) return { ...check, pages };
  }
}

/** Waits until a check has ended. The check goes on if the user interrupts the command. */
export async function waitForCheck(
  service: ServiceRequests,
  { id, checkId }: { id: string; checkId: string },
): Promise<Fields & { pages: Fields[] }> {
  const path = `${monitorPath(id)}/checks/${checkId}?limit=1`;
  for (;;) {
    const { status } = fieldsOf((await service.send({ method: 'GET', path })).data);
    if (status !== 'running' && status !== 'queued') return readCheck(service, { id, checkId });
    await sleep(POLL_MS, undefined, { signal: service.signal });
  }
}

/** Finds the newest check that has found something new; `undefined` if none has. */
export async function findCheckWithChanges(
  { send }: ServiceRequests,
  id: string,
): Promise<string | undefined> {
  const { data } = await send({ method: 'GET', path: `${monitorPath(id)}/checks?limit=${PART}` });
  const checks = (Array.isArray(data) ? data : []).map(fieldsOf);
  const found = checks.find(({ summary }) => {
    const counts = fieldsOf(summary);
    return [counts.changed, counts.new, counts.removed].some((count) => Number(count) > 0);
  });
  return found && String(found.id);
}

/** Formats the numbers of pages by outcome, such as `1 changed, 3 same`; empty before the first check. */
export function formatSummary(summary: unknown): string {
  const counts = fieldsOf(summary);
  return ['changed', 'new', 'removed', 'error', 'same']
    .filter((status) => Number(counts[status]) > 0)
    .map((status) => `${Number(counts[status])} ${status}`)
    .join(', ');
}

/** Formats the pages of a check that are not the same, one a line, each with its diff if wanted. */
export function formatPages(pages: Fields[], withDiff: boolean): string {
  return pages
    .filter(({ status }) => status !== 'same')
    .map(({ status, url, error, diff, judgment }) => {
      const notes = [error ? `(${String(error)})` : '', formatJudgment(judgment)].filter(
        (note) => note !== '',
      );
      const line = [String(status).padEnd(7), String(url), ...notes].join('  ');
      const text = withDiff ? formatDiff(diff) : '';
      return text ? `${line}\n${text.trimEnd()}\n` : line;
    })
    .map((entry) => `${entry}\n`)
    .join('');
}

/** Formats what the language model thinks of a change; empty where it was not judged. */
export function formatJudgment(judgment: unknown): string {
  const { meaningful, reason } = fieldsOf(judgment);
  if (typeof meaningful !== 'boolean') return '';
  return `[${meaningful ? 'matters' : 'does not matter'}: ${String(reason)}]`;
}

/**
 * The unified diff of a page; the fields that differ where data alone is compared. What differs in its screenshot
 * comes first.
 */
export function formatDiff(diff: unknown): string {
  const { text, json, screenshot } = fieldsOf(diff);
  const words = typeof text === 'string' ? text : json === undefined ? '' : JSON.stringify(json, null, 2);
  return [formatScreenshot(screenshot), words].filter((part) => part !== '').join('\n');
}

/** How much of a screenshot differs, and where that is to be seen; empty without one. */
function formatScreenshot(screenshot: unknown): string {
  const { changedShare, difference } = fieldsOf(screenshot);
  if (typeof changedShare !== 'number') return '';
  return `${(changedShare * 100).toFixed(2)} % of the screenshot differs: ${String(difference)}`;
}
