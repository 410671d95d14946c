import type { ReplayEntry } from '../../schemas/replay.ts';

/**
 * Reads the lines of a recording. The last one may be cut, because the session still writes it.
 * @param body as `send` returns it: one line alone is read as JSON already
 */
export function parseReplay(body: unknown): ReplayEntry[] {
  if (typeof body !== 'string')
    return body && typeof body === 'object' && 't' in body ? [body as ReplayEntry] : [];
  return body.split('\n').flatMap((line): ReplayEntry[] => {
    try {
      return line ? [JSON.parse(line)] : [];
    } catch {
      return [];
    }
  });
}

/** The entries that lists of events have, with what is said of each. */
export const eventsOf = (entries: ReplayEntry[]): { t: number; type: string; title: string }[] =>
  entries.flatMap((entry) => {
    const title = titleOf(entry);
    return title ? [{ t: entry.t, type: entry.type, title }] : [];
  });

/** What is said of an entry in the list of events; empty if it is not listed. */
function titleOf(entry: ReplayEntry): string {
  switch (entry.type) {
    case 'navigation':
      return entry.url;
    case 'console':
      return `${entry.level}: ${entry.text}`;
    case 'requestfailed':
      return `${entry.url} ${entry.text}`;
    case 'download':
      return `${entry.name} (${entry.state})`;
    case 'pointer':
      return entry.action === 'down' ? `pressed at ${Math.round(entry.x)}, ${Math.round(entry.y)}` : '';
    default:
      return '';
  }
}

/** A time of a recording in minutes and seconds. @param ms milliseconds */
export function timeOf(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
