import { escapeHtml } from '../../../content/html/parse/escape-html.ts';
import type { NewsPage } from '../../../storage/db/monitors/news.ts';
import { type Description, type DetailedPage, describeNews, MUTED, oneLine, stateOf } from '../news-text.ts';

const MAX_TITLE = 150;
const MAX_SUBJECT = 150;

/** The text of a mail. */
export interface MailText {
  subject: string;
  text: string;
  html: string;
}

/** What a mail about news has. */
export interface NewsMail {
  monitor: { name: string; timezone: string };
  pages: readonly DetailedPage[];
  /** Number of all news, of which `pages` are the first. */
  total: number;
  /** Where the console shows the monitor. */
  consoleUrl: string;
  unsubscribeUrl: string;
}

/** Writes the mail that tells of news. */
export function composeNews({ monitor, pages, total, consoleUrl, unsubscribeUrl }: NewsMail): MailText {
  const counts = summaryOf(pages, total);
  const name = oneLine(monitor.name, MAX_TITLE);
  const left = total - pages.length;
  const footer: Description = {
    text: [
      ...(left > 0 ? [`And ${left} more.`] : []),
      `All checks: ${consoleUrl}`,
      `No more mails of this monitor: ${unsubscribeUrl}`,
    ].join('\n'),
    html: `${left > 0 ? `<p>And ${left} more.</p>` : ''}<p style="${MUTED}"><a href="${escapeHtml(consoleUrl)}">All checks</a> · <a href="${escapeHtml(unsubscribeUrl)}">No more mails of this monitor</a></p>`,
  };
  const parts: Description[] = [
    { text: `${name}: ${counts}`, html: `<h1 style="font-size:20px">${escapeHtml(name)}: ${counts}</h1>` },
    ...pages.map((page) => describeNews(page, monitor.timezone)),
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

const mailOf = (subject: string, parts: readonly Description[]): MailText => ({
  subject: oneLine(subject, MAX_SUBJECT),
  text: `${parts.map(({ text }) => text).join('\n\n')}\n`,
  html: `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head><body style="font:15px/1.5 sans-serif;color:#1c2430;background:#ffffff;max-width:720px;margin:0 auto;padding:16px">${parts.map(({ html }) => html).join('\n')}</body></html>`,
});

/** Says how many pages changed, and so on. */
function summaryOf(pages: readonly NewsPage[], total: number): string {
  const states = Map.groupBy(pages, stateOf);
  if (total > pages.length || states.size > 3) return `${total} news`;
  return [...states].map(([state, own]) => `${own.length} ${state}`).join(', ');
}
