import { type ChildNode, isTag } from 'domhandler';
import { textContent } from 'domutils';
import fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { expect, it } from 'vitest';
import { toMarkdown } from '../../../src/content/html/markdown/index.ts';
import { parseHtml } from '../../../src/content/html/parse/parse.ts';
import { propertyRuns } from '../../support/suite/corpus.ts';

/** Text that would begin or end a block in markdown. */
const leads = fc.constantFrom(
  ...['', '1. ', '- ', '+ ', '# ', '&gt; ', '===', '--', '---', '| ', '~~~', '```', '[x]: ', '[ ] ', '10) '],
  ...[
    '&nbsp;&nbsp;&nbsp; ',
    ': ',
    '&lt;b&gt;',
    '![',
    '&amp;copy; ',
    '\\',
    '&lt;!-- ',
    '$ ',
    '\u200b',
    '<br>',
  ],
);
const words = fc.constantFrom(
  ...[
    'a',
    'b_c',
    'd*e',
    '5 &lt; 6',
    'R&amp;D',
    'C:\\d',
    '[1]',
    'x|y',
    '`t`',
    'é',
    '字',
    ' http://a.test/_b ',
    '~5',
  ],
  ...[
    '“q”',
    'end.',
    '!',
    '--',
    '...',
    '&amp;amp;',
    '1.',
    '-',
    '*',
    '+',
    '=',
    '&gt;',
    '\\',
    '<code>x|`y</code>',
  ],
  ...['<b>m</b>', '<a href="/a b(c">l</a>', '<img src="/p (1).png" alt="q [r]">s', 'u<br>v'],
);
const inline = fc.array(words, { minLength: 1, maxLength: 4 }).map((each) => each.join(' '));
const line = fc.tuple(leads, inline).map(([lead, text]) => lead + text);
const cell = inline.map((text) => text.replaceAll('<br>', ' '));
const row = (name: string) =>
  fc
    .tuple(cell, cell)
    .map((cells) => `<tr>${cells.map((text) => `<${name}>${text}</${name}>`).join('')}</tr>`);

const { blocks } = fc.letrec<{ block: string; blocks: string; item: string }>((tie) => ({
  blocks: fc.array(tie('block'), { minLength: 1, maxLength: 3 }).map((each) => each.join('')),
  block: fc.oneof(
    { maxDepth: 3 },
    line.map((text) => `<p>${text}</p>`),
    fc.tuple(fc.integer({ min: 1, max: 6 }), cell).map(([level, text]) => `<h${level}>${text}</h${level}>`),
    fc
      .constantFrom(
        'a\nb',
        '  a\n\n    b',
        '```\nx\n```',
        '~~~',
        '1. x\n- y',
        '&gt; q',
        '&lt;p&gt;\n&amp;amp;',
      )
      .map((code) => `<pre><code>${code}</code></pre>`),
    fc.constant('<hr>'),
    fc.tuple(row('th'), row('td'), row('td')).map(([head, ...body]) => {
      return `<table><thead>${head}</thead><tbody>${body.join('')}</tbody></table>`;
    }),
    tie('blocks').map((inside) => `<blockquote>${inside}</blockquote>`),
    fc
      .tuple(fc.constantFrom('ul', 'ol'), fc.array(tie('item'), { minLength: 1, maxLength: 3 }))
      .map(([list, items]) => `<${list}>${items.join('')}</${list}>`),
  ),
  item: fc.oneof(line, tie('blocks')).map((inside) => `<li>${inside}</li>`),
}));

const PARAGRAPHS = /^(?:html|head|body|p|tbody|b|strong|br)$/;

/**
 * Names of the elements with what is inside of each, and the text of those that have none; paragraphs are
 * left out.
 */
const outline = (nodes: ChildNode[]): string =>
  nodes
    .map((node) => {
      if (!isTag(node)) return textContent(node).replace(/[\s\u200b]/g, '');
      const inside = outline(node.children);
      const isOwn = node.name === 'a' && node.attribs.href === textContent(node);
      return isOwn || PARAGRAPHS.test(node.name) ? inside : `<${node.name}>${inside}</>`;
    })
    .join('');

it('markdown rendered back to HTML has the same blocks with the same text', () => {
  fc.assert(
    fc.property(blocks, (html) => {
      const markdown = toMarkdown(parseHtml(html), { removeBase64Images: true, tidy: true });
      const rendered = micromark(markdown, {
        extensions: [gfm()],
        htmlExtensions: [gfmHtml()],
        allowDangerousHtml: true,
      });
      expect(outline(parseHtml(rendered).children)).toBe(outline(parseHtml(html).children));
    }),
    { ...propertyRuns(3_000), seed: 1 },
  );
});
