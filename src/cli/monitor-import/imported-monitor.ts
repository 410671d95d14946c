import { createHash } from 'node:crypto';

/** A monitor of another program, as a request makes it here. */
export interface ImportedMonitor {
  /** What its entry in the list is called. */
  label: string;
  /** The body of the request; absent if nothing of it can be watched. */
  body?: Record<string, unknown>;
  isPaused?: boolean;
  /** What of it has no counterpart, and what differs. */
  notes: string[];
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Intervals that a cron expression can have, in seconds. */
const MINUTES = [5, 6, 10, 12, 15, 20, 30];
const HOURS = [1, 2, 3, 4, 6, 8, 12];
const INTERVALS = [...MINUTES.map((n) => n * MINUTE), ...HOURS.map((n) => n * HOUR), DAY, 7 * DAY];

/**
 * The cron expression whose interval is closest to one in seconds. Its minute and hour depend on the URL, so that the
 * monitors of a long list do not all begin at once.
 */
export function cronOfInterval(seconds: number, url: string): { cron: string; note?: string } {
  const interval = INTERVALS.reduce((best, each) =>
    Math.abs(each - seconds) < Math.abs(best - seconds) ? each : best,
  );
  const spread = createHash('sha256').update(url).digest().readUInt32BE();
  const place = { minute: spread % 60, hour: spread % 24, weekday: spread % 7 };
  const note = `checks every ${describe(interval)} instead of every ${describe(seconds)}`;
  return { cron: cronOf(interval, place), ...(interval !== seconds && { note }) };
}

function cronOf(
  interval: number,
  { minute, hour, weekday }: { minute: number; hour: number; weekday: number },
): string {
  if (interval < HOUR) {
    const step = interval / MINUTE;
    return `${minute % step}-59/${step} * * * *`;
  }
  if (interval === HOUR) return `${minute} * * * *`;
  if (interval < DAY) {
    const step = interval / HOUR;
    return `${minute} ${hour % step}-23/${step} * * *`;
  }
  return `${minute} ${hour} * * ${interval === DAY ? '*' : weekday}`;
}

function describe(seconds: number): string {
  for (const [unit, size] of [
    ['days', DAY],
    ['hours', HOUR],
    ['minutes', MINUTE],
  ] as const)
    if (seconds >= size && seconds % size === 0) return `${seconds / size} ${unit}`;
  return `${seconds} seconds`;
}

/** A regular expression that matches a text as it is. */
export const patternOfText = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** The rules for elements and lines that another program has, as options of a target. */
export interface Rules {
  includeTags: string[];
  excludeTags: string[];
  ignorePatterns: string[];
  ignoresOrder: boolean;
}

/** Rules that select everything. */
export const noRules = (): Rules => ({
  includeTags: [],
  excludeTags: [],
  ignorePatterns: [],
  ignoresOrder: false,
});

/** The body of the request for a monitor of one page. */
export const bodyOf = (
  page: { name: string; url: string; cron: string; timezone: string; tags?: string[] },
  { includeTags, excludeTags, ignorePatterns, ignoresOrder }: Rules,
  options: { headers?: Record<string, string>; waitFor?: number | undefined },
): Record<string, unknown> => ({
  name: page.name.slice(0, 256),
  ...(page.tags?.length && { tags: page.tags }),
  schedule: { cron: page.cron, timezone: page.timezone },
  targets: [
    {
      type: 'scrape',
      urls: [page.url],
      scrapeOptions: {
        ...(includeTags.length && { includeTags }),
        ...(excludeTags.length && { excludeTags }),
        ...(Object.keys(options.headers ?? {}).length && { headers: options.headers }),
        ...(options.waitFor && { waitFor: options.waitFor }),
      },
      changeDetection: {
        ...(ignoresOrder && { ignore: ['order'] }),
        ...(ignorePatterns.length && { ignorePatterns }),
      },
    },
  ],
  origin: 'cli',
});
