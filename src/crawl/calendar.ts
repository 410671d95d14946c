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
const LIMIT_KEY = /^(?:.*[-_])?(?:from|to|start|end|since|until|before|after|begin|von|bis)$/i;
const YEAR_KEY = /^(?:.*[-_])?(?:year|yr|jahr|y)$/i;
const MONTH_KEY = /^(?:.*[-_])?(?:month|mon|monat|m)$/i;

const FUTURE_MONTHS = 24;
const PAST_MONTHS = 30 * 12;
const LAST_YEAR = 2199;

/** The date in a URL. */
export interface CalendarDate {
  month: Month;
  /**
   * Whether dates far in the past are refused too. This is true only where the URL is clearly a calendar,
   * because archives go back a long way.
   */
  pastCounts: boolean;
}

function monthOf(year: string | undefined, month: string | undefined): Month | undefined {
  const [y, m] = [Number(year), Number(month)];
  return y >= 1000 && m >= 1 && m <= 12 ? y * 12 + m - 1 : undefined;
}

/** `2031-07`, `2031-07-12`, `2031/7/12`, `2031-07-12T10:00`. */
function isoMonth(text: string): Month | undefined {
  const match = /^(\d{4})([-/.])(\d{1,2})(?:\2(\d{1,2}))?(?:[T ].{0,20})?$/.exec(text);
  return match && Number(match[4] ?? 1) <= 31 ? monthOf(match[1], match[3]) : undefined;
}

/** Parses other notations of dates, which are only accepted in parameters whose name indicates a date. */
function looseMonth(text: string): Month | undefined {
  const week = /^(\d{4})-?W\d{2}$/i.exec(text);
  if (week) return monthOf(week[1], '1');
  const compact = /^(\d{4})(\d{2})(?:\d{2})?$/.exec(text);
  if (compact) return monthOf(compact[1], compact[2]);
  const dayFirst = /^\d{1,2}[./-](\d{1,2})[./-](\d{4})$/.exec(text);
  if (dayFirst) return monthOf(dayFirst[2], dayFirst[1]) ?? monthOf(dayFirst[2], '1');
  if (!/^\d{9,10}$/.test(text)) return undefined;
  const moment = new Date(Number(text) * 1000);
  return moment.getUTCFullYear() * 12 + moment.getUTCMonth();
}

/**
 * Finds a date at the end of a path. A path that continues after the date (`/2031/07/12/title`) is a normal
 * page.
 */
function pathDate(pathname: string): CalendarDate | undefined {
  const path = pathname.replace(/\/$/, '');
  const calendar = CALENDAR_WORD.test(path);
  const whole = isoMonth(path.slice(path.lastIndexOf('/') + 1));
  // A later year is more likely some other number of four digits.
  if (whole !== undefined && (calendar || whole < LAST_YEAR * 12))
    return { month: whole, pastCounts: calendar };
  if (!calendar) return undefined;
  const parts = /\/(\d{4})\/(\d{1,2})(?:\/\d{1,2})?$/.exec(path);
  const month = parts ? monthOf(parts[1], parts[2]) : undefined;
  return month === undefined || month >= LAST_YEAR * 12 ? undefined : { month, pastCounts: true };
}

function queryDate(query: URLSearchParams): CalendarDate | undefined {
  let year: string | undefined;
  let month: string | undefined;
  for (const [name, value] of query) {
    // `filter[startDate]` as `filter_start_Date`.
    const key = name.replace(/\]/g, '').replace(/\[|(?<=[a-z])(?=[A-Z])/g, '_');
    const named = DATE_KEY.test(key);
    if (named || LIMIT_KEY.test(key)) {
      const found = isoMonth(value) ?? (named ? looseMonth(value) : undefined);
      if (found !== undefined) return { month: found, pastCounts: named };
    }
    if (YEAR_KEY.test(key)) year = value;
    if (MONTH_KEY.test(key)) month = value;
  }
  const pair = monthOf(year, month);
  return pair === undefined ? undefined : { month: pair, pastCounts: true };
}

/**
 * The date of the calendar page that a URL may be; `undefined` for other pages, including articles with a
 * date.
 */
export function calendarDate(url: URL): CalendarDate | undefined {
  return (url.search === '' ? undefined : queryDate(url.searchParams)) ?? pathDate(url.pathname);
}

/**
 * Whether a date is so far away (more than 2 years ahead or 30 years back) that only an endless calendar has
 * it.
 */
export function isFarAway({ month, pastCounts }: CalendarDate, now: Date): boolean {
  const away = month - (now.getUTCFullYear() * 12 + now.getUTCMonth());
  return away > FUTURE_MONTHS || (pastCounts && away < -PAST_MONTHS);
}
