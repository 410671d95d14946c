import { expect, test } from 'vitest';
import { convertOffice } from '../../../../src/content/parsers/office/index.ts';

const convert = (head: string, body: string) =>
  convertOffice({ type: 'rtf', images: false }, Buffer.from(`{\\rtf1${head}${body}\\par}`, 'latin1'));

test.each([
  [
    'the code page of a font (\\cpg), before its character set',
    String.raw`\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil\fcharset128\cpg65001 Arial Unicode MS;}}`,
    String.raw`\f0 \'e4\'b8\'ad\'e5\'9c\'8b`,
    '中國',
  ],
  [
    'the character set of a font of Macintosh',
    String.raw`\mac\ansicpg10001{\fonttbl{\f0\fcharset78 Osaka;}}`,
    String.raw`\f0 \'93\'8c\'8b\'9e`,
    '東京',
  ],
  [
    'the code page of a Macintosh',
    String.raw`\mac\ansicpg10001\deff0{\fonttbl{\f0 Osaka;}}`,
    String.raw`\'93\'8c\'8b\'9e`,
    '東京',
  ],
  ['the character set \\mac', String.raw`\mac\deff0{\fonttbl{\f0 Geneva;}}`, String.raw`M\'9fller`, 'Müller'],
  ['the character set \\pca', String.raw`\pca\deff0{\fonttbl{\f0 Arial;}}`, String.raw`M\'81ller`, 'Müller'],
  [
    'the default font',
    String.raw`\ansi\ansicpg1252\deff1{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial Cyr;}}`,
    String.raw`\'cf\'f0\'e8`,
    'При',
  ],
  [
    'characters of two bytes of which one is not escaped',
    String.raw`\ansi\ansicpg932{\fonttbl{\f0 MS Mincho;}}`,
    String.raw`\'95\\\'8e\'a6 \'83A`.replace('\\\\', "\\'5c"),
    '表示 ア',
  ],
  [
    'fonts of symbols',
    String.raw`\ansi{\fonttbl{\f0 Arial;}{\f3\fcharset2 Symbol;}}`,
    String.raw`x {\f3\'b3} {\f3 a}`,
    'x ≥ α',
  ],
  [
    'Unicode with fallbacks of two bytes beside other text',
    String.raw`\ansi\ansicpg949{\fonttbl{\f0 Gulim;}}`,
    String.raw`\uc2\u44608\'b1\'e8\uc1 \'c3\'b6`,
    '김철',
  ],
])('text is read by %s', async (_, head, body, text) => {
  expect(await convert(head, body)).toMatchObject({ html: `<p>${text}</p>`, warnings: [] });
});

test('text without a code page is detected, and a guess is warned of', async () => {
  const head = String.raw`\ansi\deff0{\fonttbl{\f0 Arial;}}`;
  const russian = String.raw`\'cf\'f0\'e8\'e2\'e5\'f2, \'ec\'e8\'f0`;
  expect(await convert(head, russian)).toMatchObject({ html: '<p>Привет, мир</p>', warnings: [] });
  const { warnings } = await convert(head, String.raw`M\'9fller`);
  expect(warnings).toEqual([expect.stringContaining('it was read as macintosh')]);
});
