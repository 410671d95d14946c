/** A month as a comparable number: the year times 12, plus the month from 0 to 11. */
type Month = number;

/** Words in paths that indicate a calendar. */
const CALENDAR_WORD =
  /(?:^|[-_/])(?:cal|calendar|calendario|calendrier|kalender|kalendar|events?|veranstaltung(?:en)?|termine|agenda|ev[eè]nements?|eventos|eventi|schedule|timetable|bookings?|reservations?|availability|appointments?|day|week|month)(?:[-_/.]|$)/i;
/**
 * Names of parameters that select a date of a calendar. Parameters that limit a search (`LIMIT_KEY`) may have
 * dates far in the past for good reasons, so only their future dates count.
 */
const DATE_KEY =
  /^(?:.*[-_])?(?:date|day|month|week|cal|calendar|ym|yyyymm|yyyymmdd|time|timestamp|ts|datum|monat|fecha)$/i;
const RANGE_KEY = /^(?:.*[-_])?(?:from|to|start|end|since|until|before|after|begin|von|bis)$/i;
const YEAR_KEY = /^(?:.*[-_])?(?:year|yr|jahr|y)$/i;
const MONTH_KEY = /^(?:.*[-_])?(?:month|mon|monat|m)$/i;

const MAX_FUTURE_MONTHS = 24;
const MAX_PAST_MONTHS = 30 * 12;
const MAX_YEAR = 2199;

/** The date in a URL. */
export interface CalendarDate {
  month: Month;
  /**
   * Whether dates far in the past are refused too. This is true only where the URL is clearly a calendar,
   * because archives go back a long way.
   */
  refusesPast: boolean;
}

function toMonth(year: string | undefined, month: string | undefined): Month | undefined {
  const [y, m] = [Number(year), Number(month)];
  return y >= 1000 && m >= 1 && m <= 12 ? y * 12 + m - 1 : undefined;
}

/** `2031-07`, `2031-07-12`, `2031/7/12`, `2031-07-12T10:00`. */
function parseIsoMonth(text: string): Month | undefined {
  const match = /^(\d{4})([-/.])(\d{1,2})(?:\2(\d{1,2}))?(?:[T ].{0,20})?$/.exec(text);
  return match && Number(match[4] ?? 1) <= 31 ? toMonth(match[1], match[3]) : undefined;
}

/** Parses other notations of dates, which are only accepted in parameters whose name indicates a date. */
function parseOtherMonth(text: string): Month | undefined {
  const week = /^(\d{4})-?W\d{2}$/i.exec(text);
  if (week) return toMonth(week[1], '1');
  const compact = /^(\d{4})(\d{2})(?:\d{2})?$/.exec(text);
  if (compact) return toMonth(compact[1], compact[2]);
  const dayFirst = /^\d{1,2}[./-](\d{1,2})[./-](\d{4})$/.exec(text);
  if (dayFirst) return toMonth(dayFirst[2], dayFirst[1]) ?? toMonth(dayFirst[2], '1');
  if (!/^\d{9,10}$/.test(text)) return undefined;
  const moment = new Date(Number(text) * 1000);
  return moment.getUTCFullYear() * 12 + moment.getUTCMonth();
}

/**
 * Finds a date at the end of a path. A path that continues after the date (`/2031/07/12/title`) is a normal
 * page.
 */
function findPathDate(pathname: string): CalendarDate | undefined {
  const path = pathname.replace(/\/$/, '');
  const calendar = CALENDAR_WORD.test(path);
  const whole = parseIsoMonth(path.slice(path.lastIndexOf('/') + 1));
  // A later year is more likely some other number of four digits.
  if (whole !== undefined && (calendar || whole < MAX_YEAR * 12))
    return { month: whole, refusesPast: calendar };
  if (!calendar) return undefined;
  const parts = /\/(\d{4})\/(\d{1,2})(?:\/\d{1,2})?$/.exec(path);
  const month = parts ? toMonth(parts[1], parts[2]) : undefined;
  return month === undefined || month >= MAX_YEAR * 12 ? undefined : { month, refusesPast: true };
}

function findQueryDate(query: URLSearchParams): CalendarDate | undefined {
  let year: string | undefined;
  let month: string | undefined;
  for (const [name, value] of query) {
    // `filter[startDate]` as `filter_start_Date`.
    const key = name.replace(/\]/g, '').replace(/\[|(?<=[a-z])(?=[A-Z])/g, '_');
    const named = DATE_KEY.test(key);
    if (named || RANGE_KEY.test(key)) {
      const found = parseIsoMonth(value) ?? (named ? parseOtherMonth(value) : undefined);
      if (found !== undefined) return { month: found, refusesPast: named };
    }
    if (YEAR_KEY.test(key)) year = value;
    if (MONTH_KEY.test(key)) month = value;
  }
  const pair = toMonth(year, month);
  return pair === undefined ? undefined : { month: pair, refusesPast: true };
}

/**
 * The date of the calendar page that a URL may be; `undefined` for other pages, including articles with a
 * date.
 */
export function findCalendarDate(url: URL): CalendarDate | undefined {
  return (url.search === '' ? undefined : findQueryDate(url.searchParams)) ?? findPathDate(url.pathname);
}

/**
 * Whether a date is so far away (more than 2 years ahead or 30 years back) that only an endless calendar has
 * it.
 */
export function isFarAway({ month, refusesPast }: CalendarDate, now: Date): boolean {
  const monthsAhead = month - (now.getUTCFullYear() * 12 + now.getUTCMonth());
  return monthsAhead > MAX_FUTURE_MONTHS || (refusesPast && monthsAhead < -MAX_PAST_MONTHS);
}
