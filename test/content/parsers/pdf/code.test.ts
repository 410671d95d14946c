import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PlacedText, textLines, writePdf } from './pdf-writer.ts';

const PROSE = [
  'The keeper of the bridge opens the gate at dawn, and closes it when the last cart has passed, as',
  'the town has asked him to do since the year of the flood. Whoever comes later waits until morning',
  'on the other bank, where there is an inn.',
];
const code = (y: number, text: string, x = 60, size = 9): PlacedText => ({
  x,
  y,
  text,
  size,
  font: 'Courier',
});
const htmlOf = async (texts: PlacedText[], raw = '') =>
  (await pdfToHtml(writePdf([{ texts, raw }], { ownMaps: true }))).html;

describe('code of a PDF', () => {
  test('is part of the paragraph where it fills its last line', async () => {
    const html = await htmlOf([
      ...textLines(60, 100, [
        ...PROSE.slice(0, 2),
        'and whoever has a key of his own opens the gate with the command',
      ]),
      code(136, 'bridge.open(gate)'),
      ...textLines(60, 170, PROSE),
    ]);
    // The command would have fitted into the line above, so it is a block; here the line above is full.
    const full = await htmlOf([
      ...textLines(60, 100, [PROSE[0] ?? '', `${PROSE[1]?.slice(0, 70)} with the command of`]),
      code(124, 'bridge.open(gate)'),
      ...textLines(60, 160, PROSE),
    ]);
    expect(html).toContain('<pre><code>bridge.open(gate)</code></pre>');
    expect(full).toContain('<code>bridge.open(gate)</code></p>');
  });

  test('keeps its blank lines, and two blocks stay apart', async () => {
    const html = await htmlOf([
      ...textLines(60, 60, PROSE),
      ...['const gate = bridge.gate(7);', 'gate.open();'].map((text, row) => code(120 + 11 * row, text)),
      ...['gate.close();', 'gate.lock();'].map((text, row) => code(153 + 11 * row, text)),
      ...['npm install bridge', 'npm run gate'].map((text, row) => code(191 + 11 * row, text)),
    ]);
    expect(html).toContain(
      '<pre><code>const gate = bridge.gate(7);\ngate.open();\n\ngate.close();\ngate.lock();</code></pre>',
    );
    expect(html).toContain('<pre><code>npm install bridge\nnpm run gate</code></pre>');
  });

  test('can be an item of a list whose bullets are drawn', async () => {
    const bullets = [116, 132].map((y) => `50 ${792 - y} 3 3 re f`).join(' ');
    const html = await htmlOf(
      [...textLines(60, 60, PROSE), code(118, 'bridge.open(gate)'), code(134, 'bridge.close(gate)')],
      bullets,
    );
    expect(html).toContain('<li><code>bridge.open(gate)</code></li>');
  });

  test('has titles in bold where its lines are not bold', async () => {
    const html = await htmlOf([
      { x: 60, y: 60, text: 'Functions', size: 16, font: 'Helvetica-Bold' },
      ...textLines(60, 84, PROSE),
      { ...code(140, 'bridge.open(gate)'), font: 'Courier-Bold' },
      ...textLines(60, 156, PROSE),
      ...['const gate = bridge.gate(7);', 'gate.open();'].map((text, row) => code(210 + 11 * row, text)),
      ...textLines(60, 250, PROSE),
      code(300, 'npm run gate'),
    ]);
    expect(html).toContain('<h2>bridge.open(gate)</h2>');
    expect(html).toContain('<pre><code>npm run gate</code></pre>');
  });

  test('goes on at the top of the next column', async () => {
    const column = (x: number, y: number, rows: number) =>
      textLines(
        x,
        y,
        Array.from({ length: rows }, (_, row) => `${row} carts came over the old bridge today`),
      );
    const html = await htmlOf([
      ...column(60, 60, 30),
      ...['if (gate.isOpen()) {', '  cart.pass();'].map((text, row) => code(430 + 11 * row, text)),
      ...['  gate.close();', '}'].map((text, row) => code(60 + 11 * row, text, 320)),
      ...column(320, 100, 30),
    ]);
    expect(html).toContain(
      '<pre><code>if (gate.isOpen()) {\n  cart.pass();\n  gate.close();\n}</code></pre>',
    );
  });

  test('has lines that begin like items of a list, with signs that no font tells', async () => {
    const row = (y: number, name: string): PlacedText[] => [
      code(y, `* [${name}](https://bridge.test/${name})`),
      { ...code(y, '-', 60 + 5.4 * (`* [${name}](https://bridge.test/${name})`.length + 1)) },
      { ...code(y, '**keeper**', 60 + 5.4 * (`* [${name}](https://bridge.test/${name})`.length + 3)) },
    ];
    const html = await htmlOf([
      ...textLines(60, 60, PROSE),
      ...row(120, 'anna'),
      ...row(131, 'berta'),
      ...row(142, 'carla'),
    ]);
    expect(html).not.toContain('<li>');
    expect(html).toContain('* [berta](https://bridge.test/berta) - **keeper**\n');
  });

  test('in larger type than other code names a section, also in several lines', async () => {
    const html = await htmlOf([
      ...textLines(60, 60, PROSE),
      code(120, 'bridge.gates.openWhenEmpty(gate,', 60, 12),
      code(135, 'options, timeout)', 60, 12),
      ...textLines(60, 156, PROSE),
      ...['const gate = bridge.gate(7);', 'gate.open();', 'gate.close();', 'gate.lock();'].map((text, row) =>
        code(210 + 11 * row, text),
      ),
    ]);
    expect(html).toMatch(/<h\d>bridge.gates.openWhenEmpty\(gate, options, timeout\)<\/h\d>/);
  });
});
