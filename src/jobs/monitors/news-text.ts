import { escapeHtml } from '../../content/html/parse/escape-html.ts';
import { fieldsOf } from '../../json/json-object.ts';
import type { PageDetails } from '../../schemas/monitor-results.ts';
import type { NewsPage } from '../../storage/db/monitors/news.ts';
import { type ChangedLine, changedLinesOf } from './changed-lines.ts';

/** Lines that are shown of a page. */
const MAX_LINES = 40;
const MAX_TITLE = 150;
const MAX_URL = 500;
const MAX_VALUE = 200;
const MAX_REASON = 500;

/** News of a page, with what differs if that is shown. */
export interface DetailedPage extends NewsPage {
  details: PageDetails | undefined;
}

/** News as text and as HTML. */
export interface Description {
  text: string;
  html: string;
}

/** The style of what matters less. */
export const MUTED = 'color:#5b6470;font-size:13px';

/** Text of a tenant or a page without line breaks and other control characters. */
export const oneLine = (text: string, most: number) =>
  cutTo(
    text
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
    most,
  );

const cutTo = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** What happened to a page, in a word or two. */
export function stateOf({ status, is_failure_told: isTold }: NewsPage): string {
  if (status === 'error') return 'cannot be read';
  if (isTold) return `can be read again (${status})`;
  return status;
}

/** The name of a page: its title, or its URL. */
export function nameOf({ url, metadata }: NewsPage): string {
  const { title } = fieldsOf(metadata);
  return oneLine(typeof title === 'string' && title.trim() ? title : url, MAX_TITLE);
}

/** Describes news of a page, with what differs. @param timezone that of its monitor */
export function describeNews(page: DetailedPage, timezone: string): Description {
  const url = cutTo(page.url, MAX_URL);
  const name = nameOf(page);
  const state = stateOf(page);
  const time = formatTime(page.created_at, timezone);
  const said = page.status === 'error' ? page.error : page.judgment?.reason;
  const reason = said ? oneLine(said, MAX_REASON) : undefined;
  const found = describeDetails(page.details);
  // A search has a page for itself, whose URL is its words.
  const link = /^https?:/i.test(page.url)
    ? `<a href="${escapeHtml(page.url)}">${escapeHtml(name)}</a>`
    : escapeHtml(name);
  return {
    text: [
      `* ${name}: ${state}`,
      `  ${url} (${time})`,
      ...(reason ? [`  ${reason}`] : []),
      ...found.text,
    ].join('\n'),
    html: `<h2 style="font-size:16px;margin:24px 0 0">${link}: ${state}</h2><p style="${MUTED};margin:0 0 8px">${escapeHtml(url)} · ${time}${reason ? `<br>${escapeHtml(reason)}` : ''}</p>${found.html}`,
  };
}

const formatTime = (time: Date, timezone: string) =>
  new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: timezone,
  }).format(time);

/** What differs in a page. */
export function describeDetails(details: PageDetails | undefined): { text: string[]; html: string } {
  const { text: diff, json, screenshot } = details?.diff ?? {};
  const picture = screenshot && `${describeShare(screenshot.changedShare)} of the screenshot differs.`;
  const words = describeWords(diff, json);
  return {
    text: [...(picture ? [`  ${picture}`] : []), ...words.text],
    html: `${picture ? `<p style="${MUTED}">${picture}</p>` : ''}${words.html}`,
  };
}

/** A share of pixels in percent. */
function describeShare(share: number): string {
  const percent = share * 100;
  return percent < 0.1 ? 'Less than 0.1 %' : `${percent.toFixed(percent < 10 ? 1 : 0)} %`;
}

function describeWords(diff: string | undefined, json: unknown): { text: string[]; html: string } {
  if (diff !== undefined) {
    const { lines, isCut } = changedLinesOf(diff, MAX_LINES);
    return shown(lines, isCut);
  }
  // Without a text, the fields of the data differ.
  const lines = Object.entries(fieldsOf(json)).flatMap(([name, value]) => {
    const { previous, current } = fieldsOf(value);
    return [lineOf('removed', name, previous), lineOf('added', name, current)];
  });
  return shown(lines.slice(0, MAX_LINES), lines.length > MAX_LINES);
}

const lineOf = (type: ChangedLine['type'], name: string, value: unknown): ChangedLine => ({
  type,
  before: `${oneLine(name, MAX_TITLE)}: `,
  changed: oneLine(JSON.stringify(value) ?? 'null', MAX_VALUE),
  after: '',
});

const LOOKS = {
  removed: { sign: '−', row: 'background:#fdecea', part: 'background:#f6c1bb', tag: 'del' },
  added: { sign: '+', row: 'background:#e8f5ea', part: 'background:#b5e2bd', tag: 'ins' },
};

function shown(lines: readonly ChangedLine[], isCut: boolean): { text: string[]; html: string } {
  if (lines.length === 0) return { text: [], html: '' };
  const rows = lines.map(({ type, before, changed, after }) => {
    const { sign, row, part, tag } = LOOKS[type];
    return `<tr style="${row}"><td style="padding:2px 6px;vertical-align:top">${sign}</td><td style="padding:2px 6px">${escapeHtml(before)}<${tag} style="${part};text-decoration:none">${escapeHtml(changed)}</${tag}>${escapeHtml(after)}</td></tr>`;
  });
  const more = isCut ? 'More lines differ.' : undefined;
  return {
    text: [
      ...lines.map(
        ({ type, before, changed, after }) =>
          `  ${type === 'removed' ? '-' : '+'} ${before}${changed}${after}`,
      ),
      ...(more ? [`  ${more}`] : []),
    ],
    html: `<table role="presentation" style="border-collapse:collapse;width:100%;font-size:14px">${rows.join('')}</table>${more ? `<p style="${MUTED}">${more}</p>` : ''}`,
  };
}
