import { describe, expect, it } from 'vitest';
import { changedLinesOf } from '../../../src/jobs/monitors/changed-lines.ts';
import { composeConfirmation, composeNews } from '../../../src/jobs/monitors/mail/compose-mail.ts';
import type { DetailedPage } from '../../../src/jobs/monitors/news-text.ts';

const page = (fields: Partial<DetailedPage>): DetailedPage => ({
  id: 'p',
  check_id: 'c',
  url: 'https://shop.example/lamp',
  status: 'changed',
  error: null,
  metadata: { title: 'Lamp' },
  blob: null,
  is_failure_told: false,
  judgment: null,
  created_at: new Date('2026-03-04T12:30:00Z'),
  details: undefined,
  ...fields,
});
const compose = (pages: DetailedPage[], name = 'Prices', total = pages.length) =>
  composeNews({
    monitor: { name, timezone: 'Europe/Berlin' },
    pages,
    total,
    consoleUrl: 'https://winnow.example/console/monitors/m',
    unsubscribeUrl: 'https://winnow.example/v2/monitor/email/t',
  });

describe('the changed lines of a mail', () => {
  it('are cut to the words that differ and some around them', () => {
    const words = Array.from({ length: 100 }, (_, n) => `word${n}`).join(' ');
    const diff = `--- previous\n+++ current\n@@ -1,2 +1,2 @@\n The lamp\n-${words} costs 12 euros. ${words}\n+${words} costs 9 euros. ${words}`;
    const { lines, isCut } = changedLinesOf(diff, 40);
    expect(isCut).toBe(false);
    expect(lines.map(({ type, changed }) => [type, changed])).toEqual([
      ['removed', '12'],
      ['added', '9'],
    ]);
    expect(lines[0]).toMatchObject({
      before: expect.stringMatching(/^… word.* word99 costs $/),
      after: expect.stringMatching(/^ euros\. word0 .* …$/),
    });
  });

  it('are whole where nothing takes the place of a line', () => {
    const diff = '--- previous\n+++ current\n@@ -1,1 +1,3 @@\n Lamps\n+A new lamp\n+Another one';
    expect(changedLinesOf(diff, 1)).toEqual({
      lines: [{ type: 'added', before: '', changed: 'A new lamp', after: '' }],
      isCut: true,
    });
  });
});

describe('a mail about news', () => {
  it('says what changed as text and as HTML, in the time zone of the monitor', () => {
    const text = '--- previous\n+++ current\n@@ -1,1 +1,1 @@\n-It costs 12 euros.\n+It costs 9 euros.';
    const mail = compose([
      page({ details: { diff: { text } } }),
      page({ status: 'error', error: 'The page responded with HTTP 503.', is_failure_told: true }),
    ]);
    expect(mail.subject).toBe('Prices: 1 changed, 1 cannot be read');
    expect(mail.text).toContain(
      '* Lamp: changed\n  https://shop.example/lamp (4 Mar 2026, 13:30)\n  - It costs 12 euros.\n  + It costs 9 euros.\n',
    );
    expect(mail.text).toContain('* Lamp: cannot be read\n');
    expect(mail.text).toContain('  The page responded with HTTP 503.');
    expect(mail.html).toContain('It costs <del');
    expect(mail.html).toMatch(/<a href="https:\/\/shop\.example\/lamp">Lamp<\/a>: changed/);
    expect(mail.html).toMatch(/<ins [^>]*>9<\/ins> euros\./);
  });

  it('shows the fields of data that differ', () => {
    const json = { price: { previous: 12, current: 9 } };
    const { text } = compose([page({ details: { diff: { json } } })]);
    expect(text).toContain('  - price: 12\n  + price: 9');
  });

  it('says how much of a screenshot differs, with and without words that do', () => {
    const pictures = { before: 'b', after: 'a', difference: 'd' };
    const of = (changedShare: number, text?: string) =>
      compose([page({ details: { diff: { text, screenshot: { changedShare, ...pictures } } } })]);
    expect(of(0.03125).text).toContain('13:30)\n  3.1 % of the screenshot differs.\n');
    expect(of(0.5).html).toContain('>50 % of the screenshot differs.</p>');
    const diff = '--- previous\n+++ current\n@@ -1,1 +1,1 @@\n-Old.\n+New.';
    expect(of(0.0001, diff).text).toContain(
      '  Less than 0.1 % of the screenshot differs.\n  - Old.\n  + New.\n',
    );
  });

  it('does nothing of what a page or the name of a monitor says', () => {
    const evil = '</td><script>alert(1)</script>\r\nBcc: everybody@example.com';
    const text = `--- previous\n+++ current\n@@ -1,1 +1,1 @@\n-${evil}\n+"'&<b>`;
    const mail = compose(
      [page({ url: 'javascript:alert(1)', metadata: { title: evil }, details: { diff: { text } } })],
      `Prices\r\nBcc: everybody@example.com\u2028\u0000`,
    );
    expect(mail.subject).toBe('Prices Bcc: everybody@example.com: 1 changed');
    expect(mail.html).not.toMatch(/<script|<b>|href="javascript/);
    const { subject, html } = composeConfirmation({
      monitorName: `<i>\r\nTo: x@example.com`,
      confirmUrl: 'https://winnow.example/v2/monitor/email/t',
    });
    expect(subject).not.toMatch(/[\r\n]/);
    expect(html).not.toContain('<i>');
  });

  it('says how many news it does not have', () => {
    const { subject, text } = compose([page({})], 'Prices', 30);
    expect(subject).toBe('Prices: 30 news');
    expect(text).toContain('And 29 more.');
  });
});
