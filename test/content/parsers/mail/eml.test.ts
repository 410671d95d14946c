import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { convertMail } from '../../../../src/content/parsers/mail/index.ts';

const convert = (eml: string, images = false) => convertMail({ type: 'eml', images }, Buffer.from(eml));
const HEADER = [
  'From: =?utf-8?q?Ann_=C3=84rger?= <ann@example.test>',
  'To: Bob <bob@example.test>, carol@example.test',
  'Cc: Team: Dan <dan@example.test>;',
  'Subject: Plan <draft>',
  'Date: Mon, 02 Mar 2026 10:00:00 +0100',
  'MIME-Version: 1.0',
].join('\r\n');
const PNG = 'iVBORw0KGgo=';

/** A mail of several parts, each with its header. */
const multipart = (kind: string, ...parts: string[]) =>
  `${HEADER}\r\nContent-Type: multipart/${kind}; boundary=x\r\n\r\n${parts.map((part) => `--x\r\n${part}\r\n`).join('')}--x--\r\n`;

describe('a mail', () => {
  test('has its subject as title, its header and paragraphs of plain text', async () => {
    const { html, metadata } = await convert(
      `${HEADER}\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nHello =E4 <b>\r\nsecond line\r\n\r\nBye\r\n`,
    );
    expect(html).toBe(
      [
        '<h1>Plan &lt;draft&gt;</h1>',
        '<p><strong>From:</strong> Ann Ärger &lt;ann@example.test&gt;<br>',
        '<strong>To:</strong> Bob &lt;bob@example.test&gt;, carol@example.test<br>',
        '<strong>Cc:</strong> Dan &lt;dan@example.test&gt;<br>',
        '<strong>Date:</strong> 2026-03-02T09:00:00.000Z</p>',
        '<p>Hello ä &lt;b&gt;<br>\nsecond line</p>',
        '<p>Bye</p>',
      ].join('\n'),
    );
    expect(metadata).toEqual({
      title: 'Plan <draft>',
      author: 'Ann Ärger',
      publishedTime: '2026-03-02T09:00:00.000Z',
    });
  });

  test('with HTML loses scripts and styles and keeps images on the web', async () => {
    const { html } = await convert(
      multipart(
        'alternative',
        'Content-Type: text/plain\r\n\r\nplain',
        'Content-Type: text/html\r\n\r\n<html><head><style>p{}</style></head><body><script>x</script><p>Rich</p><img src="https://images.test/a.png"></body></html>',
      ),
    );
    expect(html).toContain('<p>Rich</p><img src="https://images.test/a.png">');
    expect(html).not.toMatch(/script|style|plain/);
  });

  const withPicture = multipart(
    'related',
    'Content-Type: text/html\r\n\r\n<p>See <img src="cid:dot@1" alt="a dot"></p>',
    `Content-Type: image/png\r\nContent-ID: <dot@1>\r\nContent-Transfer-Encoding: base64\r\n\r\n${PNG}`,
  );

  test('has its pictures by their alternative texts', async () => {
    const { html, images } = await convert(withPicture);
    expect(html).toContain('<p>See a dot</p>');
    expect(html).not.toContain('Attachments');
    expect(images).toEqual([]);
  });

  test('returns its pictures if they are wanted', async () => {
    const { html, images } = await convert(withPicture, true);
    expect(html).toContain('<img src="document-image:0" alt="a dot">');
    expect(images).toMatchObject([{ id: '0', mediaType: 'image/png' }]);
    expect(Buffer.from(images[0]!.bytes).toString('base64')).toBe(PNG);
  });

  test('lists its attachments by name and contains attached mails', async () => {
    const inner = 'From: eve@example.test\r\nSubject: Inner\r\n\r\nInner text';
    const { html } = await convert(
      multipart(
        'mixed',
        'Content-Type: text/plain\r\n\r\nOuter text',
        'Content-Type: application/pdf\r\nContent-Disposition: attachment; filename="../../<a>.pdf"\r\n\r\nx',
        `Content-Type: message/rfc822\r\n\r\n${inner}`,
      ),
    );
    expect(html).toContain(
      '<h2>Attachments</h2>\n<ul><li>../../&lt;a&gt;.pdf</li>\n<li>Inner</li></ul>\n<h2>Inner</h2>\n<p><strong>From:</strong> eve@example.test</p>\n<p>Inner text</p>',
    );
  });
});

describe('a hostile mail', () => {
  test('within mails is read down to a limited depth', async () => {
    let mail = 'Subject: Deepest\r\n\r\nbottom';
    for (let depth = 0; depth < 40; depth++)
      mail = `Subject: Level ${depth}\r\nMIME-Version: 1.0\r\nContent-Type: message/rfc822\r\n\r\n${mail}`;
    const { html } = await convert(mail);
    expect(html.match(/<h\d>Level/g)).toHaveLength(6);
    expect(html).not.toContain('bottom');
  });

  test('with parts nested without end is refused', async () => {
    const parts = Array.from(
      { length: 3000 },
      (_, depth) => `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n`,
    );
    await expect(convert(`Subject: x\r\n${parts.join('')}`)).rejects.toMatchObject({ fault: 'too-large' });
  });

  test('with endless headers is refused', async () => {
    await expect(convert(`X-A: ${'a'.repeat(3_000_000)}\r\n\r\nx`)).rejects.toMatchObject({
      fault: 'too-large',
    });
  });

  test('with thousands of attachments lists some of them', async () => {
    const part = 'Content-Type: application/x-a\r\nContent-Disposition: attachment; filename=a\r\n\r\nx';
    const { html, warnings } = await convert(multipart('mixed', ...new Array(3000).fill(part)));
    expect(html.match(/<li>/g)).toHaveLength(500);
    expect(warnings).toEqual(['Only the first 500 attachments of the mail were read.']);
  });

  test('that is empty is refused', async () => {
    await expect(convert('')).rejects.toMatchObject({ fault: 'damaged' });
  });
});

describe('an invitation', () => {
  const calendar = (...lines: string[]) =>
    ['BEGIN:VCALENDAR', 'METHOD:REQUEST', 'BEGIN:VEVENT', ...lines, 'END:VEVENT', 'END:VCALENDAR'].join(
      '\r\n',
    );
  const part = (text: string, name = '') =>
    `Content-Type: text/calendar; charset=utf-8${name}\r\n\r\n${text}`;

  test('has its event below the text, once', async () => {
    const event = calendar(
      'SUMMARY:Board\\, second',
      '  meeting',
      'DTSTART;TZID="Europe/Berlin":20261127T100000',
      'DTEND:20261127T100000Z',
      'LOCATION:Room 5',
      'ORGANIZER;CN=Ann:mailto:ann@example.test',
      'ATTENDEE;CN="Roe; Bob";RSVP=TRUE:mailto:bob@example.test',
      'BEGIN:VALARM',
      'DESCRIPTION:Reminder',
      'END:VALARM',
      'DESCRIPTION:Please bring\\nthe plan.',
    );
    const { html } = await convert(
      multipart(
        'mixed',
        'Content-Type: text/plain\r\n\r\nYou are invited.',
        part(event),
        part(event, '; name=invite.ics'),
      ),
    );
    expect(html.slice(html.indexOf('<p>You'))).toBe(
      [
        '<p>You are invited.</p>',
        '<h2>Board, second meeting</h2>',
        '<p><strong>Begin:</strong> 2026-11-27 10:00 Europe/Berlin<br>',
        '<strong>End:</strong> 2026-11-27 10:00 UTC<br>',
        '<strong>Place:</strong> Room 5<br>',
        '<strong>Organizer:</strong> Ann &lt;ann@example.test&gt;<br>',
        '<strong>Attendees:</strong> Roe; Bob &lt;bob@example.test&gt;</p>',
        '<p>Please bring<br>\nthe plan.</p>',
        '<h2>Attachments</h2>',
        '<ul><li>invite.ics</li></ul>',
      ].join('\n'),
    );
  });

  test('that is cancelled says so, and does not repeat the text of the mail', async () => {
    const event = calendar(
      'DTSTART;VALUE=DATE:20261127',
      'STATUS:CANCELLED',
      'DESCRIPTION:Not this  week.',
      'broken',
    );
    const { html } = await convert(
      multipart('mixed', 'Content-Type: text/plain\r\n\r\nNot this week.', part(event)),
    );
    expect(html).toContain(
      '<p>Not this week.</p>\n<h2>Event (cancelled)</h2>\n<p><strong>Begin:</strong> 2026-11-27</p>',
    );
    expect(html.match(/Not this/g)).toHaveLength(1);
  });
});

describe('a mail without a charset', () => {
  const convertBytes = (bytes: Uint8Array) => convertMail({ type: 'eml', images: false }, bytes);
  const latin = (mail: string) => convertBytes(Buffer.from(mail, 'latin1'));

  test('has the characters of its subject and text', async () => {
    const { html, warnings, metadata } = await latin(
      'From: a@b.test\r\nSubject: Grüße ohne Kodierung\r\n\r\nMüller straße\r\n',
    );
    expect(html).toContain('<p>Müller straße</p>');
    expect(metadata.title).toBe('Grüße ohne Kodierung');
    expect(warnings).toEqual([]);
  });

  test.each([
    ['quoted-printable', '=CF=F0=E8=E2=E5=F2, =EC=E8=F0!'],
    ['base64', iconv.encode('Привет, мир!', 'windows-1251').toString('base64')],
    ['8bit', iconv.encode('Привет, мир!', 'windows-1251').toString('latin1')],
  ])('has those of a part in %s', async (transfer, body) => {
    const { html } = await latin(
      multipart(
        'mixed',
        `Content-Type: text/plain\r\nContent-Transfer-Encoding: ${transfer}\r\n\r\n${body}`,
        'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nplain',
      ),
    );
    expect(html).toContain('Привет, мир!');
    expect(html).toContain('plain');
  });

  test.each([
    ['us-ascii', iconv.encode('名前は山田太郎です。東京', 'Shift_JIS'), '名前は山田太郎です。東京'],
    ['cp850', iconv.encode('Größe', 'cp850'), 'Größe'],
    ['utf-7', iconv.encode('Größe', 'utf-7'), 'Größe'],
    ['utf-8', Buffer.from('Die Größe der Straße', 'latin1'), 'Die Größe der Straße'],
  ])('has those of a text that is declared as %s', async (charset, body, text) => {
    const head = `From: a@b.test\r\nContent-Type: text/plain; charset="${charset}"\r\nContent-Transfer-Encoding: 8bit\r\n\r\n`;
    const { html } = await convertBytes(Buffer.concat([Buffer.from(head), body]));
    expect(html).toContain(`<p>${text}</p>`);
  });

  test.each([
    ['utf-16le', '\ufeff'],
    ['utf-16le', ''],
    ['utf-16be', '\ufeff'],
  ])('is read in %s, whatever it declares', async (encoding, mark) => {
    const mail = `${mark}From: a@b.test\r\nSubject: Größe\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\nStraße`;
    const { html } = await convertBytes(iconv.encode(mail, encoding, { addBOM: false }));
    expect(html).toContain('<h1>Größe</h1>');
    expect(html).toContain('<p>Straße</p>');
  });

  test('warns of a guess', async () => {
    const { warnings } = await latin('From: a@b.test\r\n\r\nM\x9fller');
    expect(warnings).toEqual([expect.stringContaining('it was read as macintosh')]);
  });
});
