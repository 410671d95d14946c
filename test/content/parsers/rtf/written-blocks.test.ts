import { describe, expect, test } from 'vitest';
import { convertOffice } from '../../../../src/content/parsers/office/index.ts';

const HEAD = String.raw`{\rtf1\ansi\deff0{\fonttbl{\f0 \fswiss Helvetica;}{\f1 \fmodern Courier;}}`;
async function htmlOf(...paragraphs: string[]): Promise<string> {
  const bytes = Buffer.from(
    `${HEAD}${paragraphs.map((each) => `{\\pard ${each}\\par}`).join('\n')}}`,
    'latin1',
  );
  return (await convertOffice({ type: 'rtf', images: false }, bytes)).html.replaceAll('\n', '');
}
const item = (label: string, text: string, left = 360) =>
  String.raw`\f0 \sa0 \li${left} \fi-360 ${label}\tx360\tab ${text}`;
const text = (content: string, left = 0) => String.raw`\f0 \sa180 \li${left} \fi0 ${content}`;

describe('lists of an RTF file whose labels are characters', () => {
  test('are lists, nested by their indents', async () => {
    expect(
      await htmlOf(
        text('Before'),
        item('\\bullet', 'One'),
        item('\\endash', 'Inner', 720),
        item('\\bullet', 'Two with {\\b bold}'),
        text('After'),
      ),
    ).toBe(
      '<p>Before</p><ul><li>One<ul><li>Inner</li></ul></li><li>Two with <strong>bold</strong></li></ul><p>After</p>',
    );
  });

  test('have their numbers and letters, and paragraphs that belong to an item', async () => {
    expect(
      await htmlOf(
        item('3.', 'Three'),
        text('More', 360),
        item('(a)', 'letter', 720),
        item('4.', 'Four'),
        item('9.', 'Nine'),
      ),
    ).toBe(
      '<ol start="3"><li><p>Three</p><p>More</p><ul><li>(a) letter</li></ul></li><li>Four</li></ol><ol start="9"><li>Nine</li></ol>',
    );
  });

  test('need no indents', async () => {
    expect(await htmlOf("\\'b7\\tab One", "\\'b7\\tab Two", '1)\\tab A', '2)\\tab B')).toBe(
      '<ul><li>One</li><li>Two</li></ul><ol><li>A</li><li>B</li></ol>',
    );
  });

  test('are not seen in other paragraphs', async () => {
    const others = [
      '1.\\tab Introduction',
      'a) or b)',
      '\\endash  said he',
      'Name:\\tab Ann',
      '2024. A year',
    ];
    for (const each of others) expect(await htmlOf(each, 'Text')).not.toContain('<li>');
  });
});

describe('paragraphs of an RTF file in a fixed pitch', () => {
  test('are one code block with its indentation', async () => {
    expect(
      await htmlOf(
        text('Before'),
        '\\f1 def f(x):\\line     return x\\line \\line print(1)',
        text('Between'),
        '\\f1 first {\\b bold}',
        '\\f1 ',
        '\\f1   second',
        text('Text with \\f1 code\\f0  in it'),
      ),
    ).toBe(
      '<p>Before</p><pre><code>def f(x):    return xprint(1)</code></pre><p>Between</p><pre><code>first bold  second</code></pre><p>Text with <code>code</code> in it</p>',
    );
  });

  test('stay paragraphs where the whole document is in that font', async () => {
    expect(await htmlOf('\\f1 One', '\\f1 Two')).not.toContain('<pre>');
  });
});
