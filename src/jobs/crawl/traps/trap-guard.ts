import { findCalendarDate, isFarAway } from './calendar-trap.ts';
import { createFilterTrap } from './filter-trap.ts';

/** Keeps a crawl out of endless series of URLs (crawler traps). Doubtful URLs are admitted. */
export interface TrapGuard {
  /** Whether a URL may be crawled. Call it once for each URL, because some limits count the calls. */
  admits(url: string): boolean;
  /** The refused URLs, counted by a readable description of their pattern and the reason. */
  readonly trapped: ReadonlyMap<string, number>;
}

const MAX_URL_CHARACTERS = 2_000;
const MAX_SEGMENTS = 20;
/**
 * Maximum repetitions in a path: of one segment in a row, of a sequence in a row, and of one segment
 * anywhere. This refuses `/a/a/a/a`, `/a/b/a/b/a/b`, and the same segment five times.
 */
const MAX_REPEATS = { segmentInRow: 3, sequenceInRow: 2, segmentAnywhere: 4 };
/** Maximum number of pages of one calendar; with one page for each day, this is more than ten years. */
const MAX_CALENDAR_PAGES = 5_000;
/**
 * Maximum number of URLs that differ only in a session ID: in one with a known name such as `jsessionid`, and
 * in a path segment that only looks like an ID.
 */
const MAX_SESSIONS = 200;
const MAX_TOKENS = 500;
/**
 * Minimum number of URL shapes below an ID for it to count as a session: a whole site lies below a session,
 * but only a few pages below the ID of an item.
 */
const MIN_SHAPES_BELOW = 20;
const MAX_SHAPES = 1_000;
const MAX_REPORTED = 50;
/**
 * Number of path segments in the description of a pattern. Deeper URLs of the same trap are counted together.
 */
const MAX_NAMED_SEGMENTS = 3;

const NUMBER = /^\d+$/;
const SESSION = /;jsessionid=|^\(S\(|(?:^|[;,])(?:phpsessid|sessionid|sid)=/i;
const TOKEN =
  /^(?=.*\d)(?=.*[a-z])(?:[0-9a-f]{16,}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-z]{24,})$/i;

/** Whether the sequence of `length` segments that ends at `end` occurs `times` times in a row. */
function repeatsAt(segments: readonly string[], end: number, length: number, times: number): boolean {
  if (end < length * times) return false;
  for (let at = end - length * times; at < end - length; at++) {
    if (segments[at] !== segments[at + length]) return false;
  }
  // Numbers repeat for good reasons, as in map tiles and versions.
  return segments.slice(end - length, end).some((segment) => !NUMBER.test(segment));
}

/** Whether segments repeat, as they do when a relative link is resolved below itself again and again. */
function isRepeating(segments: readonly string[]): boolean {
  const counts = new Map<string, number>();
  return segments.some((segment, index) => {
    const count = (counts.get(segment) ?? 0) + 1;
    counts.set(segment, count);
    if (count > MAX_REPEATS.segmentAnywhere && segment.length > 1 && !NUMBER.test(segment)) return true;
    if (repeatsAt(segments, index + 1, 1, MAX_REPEATS.segmentInRow + 1)) return true;
    return [2, 3, 4, 5, 6].some((length) =>
      repeatsAt(segments, index + 1, length, MAX_REPEATS.sequenceInRow + 1),
    );
  });
}

/**
 * Replaces the variable parts of a URL (sessions, IDs, numbers), so that URLs of the same kind count
 * together.
 */
function urlShape(url: URL, segments: readonly string[]): string {
  const path = segments.map((segment) => {
    if (SESSION.test(segment)) return '{session}';
    if (TOKEN.test(segment)) return '{id}';
    return segment.replace(/\d+/g, '{n}');
  });
  return `${url.host}/${path.join('/')}`.slice(0, 120);
}

/** Counts occurrences by name. After the first 1,000 different names, new names are not counted. */
function createTally() {
  const counts = new Map<string, number>();
  return {
    count: (name: string) => counts.get(name) ?? 0,
    add(name: string): number {
      const count = (counts.get(name) ?? 0) + 1;
      if (count > 1 || counts.size < MAX_SHAPES) counts.set(name, count);
      return count;
    },
  };
}

/** @param now the date that calendar pages are compared with */
export function createTrapGuard({ now = new Date() }: { now?: Date } = {}): TrapGuard {
  const tally = createTally();
  const filterTrap = createFilterTrap();
  const trapped = new Map<string, number>();

  function calendarReason(url: URL, shape: string): string | undefined {
    const date = findCalendarDate(url);
    if (!date) return undefined;
    if (isFarAway(date, now)) return 'a calendar far from today';
    const endless = date.refusesPast && tally.add(`calendar ${shape}`) > MAX_CALENDAR_PAGES;
    return endless ? `a calendar of more than ${MAX_CALENDAR_PAGES} pages` : undefined;
  }

  function sessionReason(shape: string): string | undefined {
    if (shape.includes('{session}')) {
      return tally.add(`session ${shape}`) > MAX_SESSIONS ? 'session IDs in the path' : undefined;
    }
    const idIndex = shape.indexOf('/{id}/');
    if (idIndex < 0) return undefined;
    const count = tally.add(`token ${shape}`);
    if (count === 1) tally.add(`below ${shape.slice(0, idIndex)}`);
    return count > MAX_TOKENS && tally.count(`below ${shape.slice(0, idIndex)}`) >= MIN_SHAPES_BELOW
      ? 'probable session IDs in the path'
      : undefined;
  }

  function findReason(url: URL, segments: readonly string[], shape: string): string | undefined {
    if (url.href.length > MAX_URL_CHARACTERS) return `longer than ${MAX_URL_CHARACTERS} characters`;
    if (segments.length > MAX_SEGMENTS) return `deeper than ${MAX_SEGMENTS} folders`;
    if (isRepeating(segments)) return 'folders that repeat';
    const reason = calendarReason(url, shape) ?? sessionReason(shape);
    if (reason || url.search === '') return reason;
    const group = `${url.host} ${segments[0] ?? ''} ${segments.length}`;
    return filterTrap.isEndless(group, url) ? 'combinations of filters' : undefined;
  }

  return {
    trapped,
    admits(urlText) {
      const url = URL.parse(urlText);
      if (!url) return true;
      const segments = url.pathname.split('/').filter((segment) => segment !== '');
      const shape = urlShape(url, segments.slice(0, MAX_SEGMENTS));
      const reason = findReason(url, segments, shape);
      if (reason === undefined) return true;
      const pattern =
        segments.length > MAX_NAMED_SEGMENTS
          ? `${urlShape(url, segments.slice(0, MAX_NAMED_SEGMENTS))}/…`
          : shape;
      const description = `${pattern}: ${reason}`;
      const listed = trapped.has(description) || trapped.size < MAX_REPORTED;
      const name = listed ? description : 'other URLs';
      trapped.set(name, (trapped.get(name) ?? 0) + 1);
      return false;
    },
  };
}
