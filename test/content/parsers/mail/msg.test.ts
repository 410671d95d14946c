import { createRequire } from 'node:module';
import type * as MsgReaderPackage from '@kenjiuno/msgreader';
import iconv from 'iconv-lite';
import { describe, expect, test, vi } from 'vitest';
import { convertMail } from '../../../../src/content/parsers/mail/index.ts';
import { writeCompoundFile } from '../compound-file-writer.ts';

// As the product loads it.
const { default: MsgReader } = createRequire(import.meta.url)(
  '@kenjiuno/msgreader',
) as typeof MsgReaderPackage.default;

/** FILETIME of 2 March 2026, 09:00 UTC. */
const SENT = (BigInt(Date.UTC(2026, 2, 2, 9)) + 11_644_473_600_000n) * 10_000n;

/** The stream of properties with fixed sizes (MS-OXMSG 2.4) after a header of the given size. */
function properties(headerBytes: number, values: [tag: number, value: bigint][] = []): Buffer {
  const bytes = Buffer.alloc(headerBytes + 16 * values.length);
  for (const [place, [tag, value]] of values.entries()) {
    bytes.writeUInt32LE(tag, headerBytes + 16 * place);
    bytes.writeUInt32LE(6, headerBytes + 16 * place + 4);
    bytes.writeBigUInt64LE(value, headerBytes + 16 * place + 8);
  }
  return bytes;
}

const text = (value: string) => Buffer.from(value, 'utf16le');

/** RTF as the body of a mail, without compression (MS-OXRTFCP 2.1.3.1.2). */
function stored(rtf: string): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32LE(rtf.length, 4);
  header.write('MELA', 8);
  return Buffer.concat([header, Buffer.from(rtf, 'latin1')]);
}

const RECIPIENT = '__recip_version1.0_#00000000';
const ATTACHMENT = '__attach_version1.0_#00000000';

const mail = (more: Record<string, Buffer> = {}) =>
  writeCompoundFile({
    '__properties_version1.0': properties(32, [[0x00390040, SENT]]),
    '__substg1.0_0037001F': text('Offer'),
    '__substg1.0_0C1A001F': text('Ann'),
    '__substg1.0_5D01001F': text('ann@example.test'),
    '__substg1.0_1000001F': text('Hello\r\n\r\nBye'),
    [`${RECIPIENT}/__properties_version1.0`]: properties(8, [[0x0c150003, 1n]]),
    [`${RECIPIENT}/__substg1.0_3001001F`]: text('Bob'),
    [`${RECIPIENT}/__substg1.0_39FE001F`]: text('bob@example.test'),
    ...more,
  });
const convert = (bytes: Buffer) => convertMail({ type: 'msg', images: false }, bytes);

describe('a mail of Outlook', () => {
  test('has its subject as title, its header and its text', async () => {
    const { html, metadata } = await convert(mail());
    expect(html).toBe(
      [
        '<h1>Offer</h1>',
        '<p><strong>From:</strong> Ann &lt;ann@example.test&gt;<br>',
        '<strong>To:</strong> Bob &lt;bob@example.test&gt;<br>',
        '<strong>Date:</strong> 2026-03-02T09:00:00.000Z</p>',
        '<p>Hello</p>',
        '<p>Bye</p>',
      ].join('\n'),
    );
    expect(metadata).toEqual({ title: 'Offer', author: 'Ann', publishedTime: '2026-03-02T09:00:00.000Z' });
  });

  test('is parsed once, unless it has texts in a rare encoding', async () => {
    const parse = vi.spyOn(MsgReader.prototype, 'getFileData');
    const french = (encoding: string, codePage: bigint) =>
      writeCompoundFile({
        '__properties_version1.0': properties(32, [[0x3ffd0003, codePage]]),
        '__substg1.0_1000001E': iconv.encode('Café', encoding),
      });
    const files = [mail(), french('windows-1252', 1252n), french('cp850', 850n)];
    for (const [place, file] of files.entries()) {
      const before = parse.mock.calls.length;
      const { html } = await convert(file);
      if (place > 0) expect(html).toContain('Café');
      expect(parse.mock.calls.length - before).toBe(place < 2 ? 1 : 2);
    }
    parse.mockRestore();
  });

  describe('without Unicode', () => {
    const ansi = (codePage: number | undefined, encoding: string) => {
      const bytes = (value: string) => iconv.encode(value, encoding);
      return writeCompoundFile({
        '__properties_version1.0': properties(
          32,
          codePage === undefined ? [] : [[0x3ffd0003, BigInt(codePage)]],
        ),
        '__substg1.0_0037001E': bytes('Предложение'),
        '__substg1.0_0C1A001E': bytes('Анна'),
        '__substg1.0_1000001E': bytes('Привет, мир'),
        [`${RECIPIENT}/__properties_version1.0`]: properties(8, [[0x0c150003, 1n]]),
        [`${RECIPIENT}/__substg1.0_3001001E`]: bytes('Борис'),
        [`${ATTACHMENT}/__properties_version1.0`]: properties(8),
        [`${ATTACHMENT}/__substg1.0_3707001E`]: bytes('план.pdf'),
        [`${ATTACHMENT}/__substg1.0_37010102`]: Buffer.from('x'),
      });
    };

    test.each([
      [1251, 'windows-1251'],
      [20866, 'koi8-r'],
      [866, 'cp866'],
      [undefined, 'windows-1251'],
    ])('is read by the code page %s, names included', async (codePage, encoding) => {
      const { html, warnings } = await convert(ansi(codePage, encoding));
      for (const text of ['<h1>Предложение</h1>', '> Анна', '> Борис', 'Привет, мир', '<li>план.pdf</li>'])
        expect(html).toContain(text);
      expect(warnings).toEqual([]);
    });
  });

  test('has its text from RTF if it has no HTML', async () => {
    const { html } = await convert(
      mail({ '__substg1.0_10090102': stored('{\\rtf1\\ansi Hello {\\b all}\\par}') }),
    );
    expect(html).toMatch(/<p>Hello <strong>all<\/strong><\/p>$/);
  });

  test('has the HTML from which Outlook made the RTF', async () => {
    const rtf =
      "{\\rtf1\\ansi\\ansicpg1251\\fromhtml1{\\fonttbl{\\f0 Arial;}}{\\*\\htmltag64 <p>}\\htmlrtf {\\b \\htmlrtf0 'cf'f0 1 < 2{\\*\\htmltag84 &amp;}\\u8364 ?\\htmlrtf }\\htmlrtf0{\\*\\htmltag72 </p>}}".replaceAll(
        /'(?=[cf])/g,
        "\\'",
      );
    const { html } = await convert(mail({ '__substg1.0_10090102': stored(rtf) }));
    expect(html).toMatch(/<p>Пр 1 &lt; 2&amp;€<\/p>$/);
  });

  test('has its plain text if the RTF is damaged, else a warning', async () => {
    const damaged = { '__substg1.0_10090102': Buffer.from('no RTF') };
    expect((await convert(mail(damaged))).html).toContain('<p>Hello</p>');
    const { warnings } = await convert(mail({ ...damaged, '__substg1.0_1000001F': text('') }));
    expect(warnings).toEqual([expect.stringContaining('damaged')]);
  });

  test('prefers HTML, in the code page of the mail', async () => {
    const { html } = await convert(
      mail({
        '__properties_version1.0': properties(32, [[0x3fde0003, 1251n]]),
        '__substg1.0_10130102': Buffer.from('<body><p>\xcf\xf0</p></body>', 'latin1'),
      }),
    );
    expect(html).toContain('<p>Пр</p>');
    expect(html).not.toContain('Hello');
  });

  test('lists its attachments by name and contains attached mails', async () => {
    const inner = `${ATTACHMENT.slice(0, -1)}1/__substg1.0_3701000D`;
    const { html } = await convert(
      mail({
        [`${ATTACHMENT}/__properties_version1.0`]: properties(8),
        [`${ATTACHMENT}/__substg1.0_3707001F`]: text('plan.pdf'),
        [`${ATTACHMENT}/__substg1.0_37010102`]: Buffer.from('%PDF'),
        [`${ATTACHMENT.slice(0, -1)}1/__properties_version1.0`]: properties(8),
        [`${inner}/__properties_version1.0`]: properties(24),
        [`${inner}/__substg1.0_0037001F`]: text('Inner'),
        [`${inner}/__substg1.0_1000001F`]: text('Inner text'),
      }),
    );
    expect(html).toContain('<ul><li>plan.pdf</li>\n<li>Inner</li></ul>');
    expect(html).toContain('<h2>Inner</h2>\n<p>Inner text</p>');
  });
});

describe('a hostile mail of Outlook', () => {
  /** The header names the sectors of the allocation table and of the directory. */
  const TABLE_SECTOR = 76;

  test('whose chains of sectors are cycles is refused', async () => {
    const bytes = mail();
    const table = (bytes.readUInt32LE(TABLE_SECTOR) + 1) * 512;
    for (let place = 0; place < 128; place++) bytes.writeUInt32LE(place, table + 4 * place);
    await expect(convert(bytes)).rejects.toMatchObject({ fault: 'damaged' });
  });

  test.each([
    ['empty', Buffer.alloc(0)],
    ['truncated', mail().subarray(0, 700)],
  ])('that is %s is refused', async (_, bytes) => {
    await expect(convert(bytes)).rejects.toMatchObject({ fault: 'damaged' });
  });
});
