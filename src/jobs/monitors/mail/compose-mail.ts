import { escapeHtml } from '../../../content/html/parse/escape-html.ts';
import { fieldsOf } from '../../../json/json-object.ts';
import type { PageDetails } from '../../../schemas/monitor-results.ts';
import type { NewsPage } from '../../../storage/db/monitors/news.ts';
import { type ChangedLine, changedLinesOf } from './changed-lines.ts';

/** Lines that a mail shows of a page. */
const MAX_LINES = 40;
const MAX_TITLE = 150;
const MAX_URL = 500;
const MAX_VALUE = 200;
const MAX_REASON = 500;
const MAX_SUBJECT = 150;

/** The text of a mail. */
export interface MailText {
  subject: string;
  text: string;
  html: string;
}

/** News of a page, with what differs if the mail shows it. */
export interface MailedPage extends NewsPage {
  details: PageDetails | undefined;
}

/** What a mail about news has. */
export interface NewsMail {
  monitor: { name: string; timezone: string };
  pages: readonly MailedPage[];
  /** Number of all news, of which `pages` are the first. */
  total: number;
  /** Where the console shows the monitor. */
  consoleUrl: string;
  unsubscribeUrl: string;
}

/** A part of a mail, in both forms. */
interface Part {
  text: string;
  html: string;
}

const MUTED = 'color:#5b6470;font-size:13px';

/** Writes the mail that tells of news. */
export function composeNews({ monitor, pages, total, consoleUrl, unsubscribeUrl }: NewsMail): MailText {
  const counts = summaryOf(pages, total);
  const name = oneLine(monitor.name, MAX_TITLE);
  const left = total - pages.length;
  const footer: Part = {
    text: [
      ...(left > 0 ? [`And ${left} more.`] : []),
      `All checks: ${consoleUrl}`,
      `No more mails of this monitor: ${unsubscribeUrl}`,
    ].join('\n'),
    html: `${left > 0 ? `<p>And ${left} more.</p>` : ''}<p style="${MUTED}"><a href="${escapeHtml(consoleUrl)}">All checks</a> · <a href="${escapeHtml(unsubscribeUrl)}">No more mails of this monitor</a></p>`,
  };
  const parts: Part[] = [
    { text: `${name}: ${counts}`, html: `<h1 style="font-size:20px">${escapeHtml(name)}: ${counts}</h1>` },
    ...pages.map((page) => pagePart(page, monitor.timezone)),
    footer,
  ];
  return mailOf(`${name}: ${counts}`, parts);
}

/** Writes the mail that asks a recipient to confirm. */
export function composeConfirmation({
  monitorName,
  confirmUrl,
}: {
  monitorName: string;
  confirmUrl: string;
}): MailText {
  const name = oneLine(monitorName, MAX_TITLE);
  const asked = `Somebody wants to send you mails whenever the monitor “${name}” of a Winnow service finds changes on web pages.`;
  const hint =
    'Without your consent you will get no further mail. If you did not expect this one, ignore it.';
  return mailOf(`Please confirm mails of the monitor “${name}”`, [
    { text: asked, html: `<p>${escapeHtml(asked)}</p>` },
    {
      text: `To get them, open this page and confirm: ${confirmUrl}`,
      html: `<p><a href="${escapeHtml(confirmUrl)}">To get them, open this page and confirm</a>.</p>`,
    },
    { text: hint, html: `<p style="${MUTED}">${hint}</p>` },
  ]);
}

const mailOf = (subject: string, parts: readonly Part[]): MailText => ({
  subject: oneLine(subject, MAX_SUBJECT),
  text: `${parts.map(({ text }) => text).join('\n\n')}\n`,
  html: `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head><body style="font:15px/1.5 sans-serif;color:#1c2430;background:#ffffff;max-width:720px;margin:0 auto;padding:16px">${parts.map(({ html }) => html).join('\n')}</body></html>`,
});

/** Text of a tenant or a page without line breaks and other control characters. */
const oneLine = (text: string, most: number) =>
  cutTo(
    text
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
    most,
  );

const cutTo = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** What happened to a page, in the words of a mail. */
function stateOf({ status, is_failure_told: isTold }: NewsPage): string {
  if (status === 'error') return 'cannot be read';
  if (isTold) return `can be read again (${status})`;
  return status;
}

/** Says how many pages changed, and so on. */
function summaryOf(pages: readonly NewsPage[], total: number): string {
  const states = Map.groupBy(pages, stateOf);
  if (total > pages.length || states.size > 3) return `${total} news`;
  return [...states].map(([state, own]) => `${own.length} ${state}`).join(', ');
}

function pagePart(page: MailedPage, timezone: string): Part {
  const url = cutTo(page.url, MAX_URL);
  const { title } = fieldsOf(page.metadata);
  const name = oneLine(typeof title === 'string' && title.trim() ? title : url, MAX_TITLE);
  const state = stateOf(page);
  const time = formatTime(page.created_at, timezone);
  const said = page.status === 'error' ? page.error : page.judgment?.reason;
  const reason = said ? oneLine(said, MAX_REASON) : undefined;
  const found = detailsPart(page.details);
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
function detailsPart(details: PageDetails | undefined): { text: string[]; html: string } {
  const { text: diff, json } = details?.diff ?? {};
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
