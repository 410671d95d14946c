import { describe, expect, it } from 'vitest';
import { splitSentences } from '../../../src/content/answers/sentences.ts';
import { summarize } from '../../../src/content/answers/summary.ts';
import { contentOf } from '../html/page.ts';

describe('sentences', () => {
  const texts: [string, string[]][] = [
    ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
    [
      'Dr. Smith met J. R. Miller on Jan. 5. They spoke.',
      ['Dr. Smith met J. R. Miller on Jan. 5.', 'They spoke.'],
    ],
    ['Siehe Abb. 3 bzw. Nr. 7. Dann weiter.', ['Siehe Abb. 3 bzw. Nr. 7.', 'Dann weiter.']],
    ['See e.g. Berlin. Visit example.com now.', ['See e.g. Berlin.', 'Visit example.com now.']],
    ['今日は雨です。明日は晴れ。', ['今日は雨です。', '明日は晴れ。']],
    ['', []],
  ];
  it.each(texts)('are split where they end, and not after an abbreviation: %j', (text, sentences) => {
    expect(splitSentences(text)).toEqual(sentences);
  });
});

describe('a summary', () => {
  const ARTICLE = `<html lang="en"><title>Honey bees in winter</title><main><h1>Honey bees in winter</h1>
    <p>Honey bees survive the winter as a colony. They form a tight cluster around the queen and shiver to keep warm.</p>
    <p>A colony of honey bees eats about twenty kilograms of honey between November and March. The weather of the year 1998 was rather odd in many ways.</p>
    <p>Honey bees survive the winter as a colony, and they survive as a colony.</p>
    <p>The beekeeper has to leave enough honey in the hive for the winter. My neighbour painted a garden fence last Sunday afternoon.</p>
    <p>Price: 12 / 13 / 14 = 15</p></main>`;

  const summary = (html: string) => summarize(contentOf(html));

  it('is a few sentences of the page, verbatim and in their order', () => {
    const { text = '', by } = summary(ARTICLE) ?? {};
    expect(by).toBe('sentences');
    const sentences = splitSentences(text);
    expect(sentences).toHaveLength(3);
    expect(sentences[0]).toBe('Honey bees survive the winter as a colony.');
    expect(sentences).toContain('The beekeeper has to leave enough honey in the hive for the winter.');
    const page = ARTICLE.replace(/\s+/g, ' ');
    const places = sentences.map((sentence) => page.indexOf(sentence));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(text).not.toMatch(/fence|weather|survive as a colony|12/);
  });

  it('is the same for the same page every time', () => {
    expect(summary(ARTICLE)).toEqual(summary(ARTICLE));
  });

  it('selects sentences of pages in other languages', () => {
    const german = `<html lang="de"><title>Alpengletscher</title><p>Die Gletscher der Alpen verlieren seit Jahren an Masse.
      Gestern gab es im Gasthaus Suppe mit Brot und Käse. Wenn die Gletscher der Alpen schmelzen, fehlt den Flüssen im Sommer Wasser.
      Die Masse der Gletscher wird jedes Jahr im Herbst gemessen. Ein Hund bellte lange vor der Tür des Nachbarn.</p>`;
    const { text } = summary(german)!;
    expect(text).toContain('verlieren seit Jahren an Masse.');
    expect(text).not.toContain('Hund');
    const japanese = '<html lang="ja"><p>東京は日本の首都であり、世界で最も大きな都市の一つです。</p>';
    expect(summary(japanese)?.text).toBe('東京は日本の首都であり、世界で最も大きな都市の一つです。');
  });

  it('contains no sentence twice', () => {
    const twice = '<p>The river flows through the old town to the sea.</p>'.repeat(30);
    expect(summary(twice)?.text).toBe('The river flows through the old town to the sea.');
  });

  it('falls back to the description of a page without sentences, and is missing without a description', () => {
    const page = '<meta name="description" content="What it is."><ul><li>a<li>b</ul>';
    expect(summary(page)).toEqual({ text: 'What it is.', by: 'description' });
    expect(summary('<ul><li>a<li>b</ul>')).toBeUndefined();
  });

  it('is made of plain text, and not of a file', () => {
    const text = 'The river flows through the old town to the sea.';
    expect(summarize(contentOf(text, {}, { kind: 'text' }))?.text).toBe(text);
    expect(summarize(contentOf(btoa(text), {}, { kind: 'base64' }))).toBeUndefined();
  });

  it('stays short for a very long page', () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, n) => `<p>The number ${n} follows the number ${n - 1} here.</p>`,
    );
    expect(summary(lines.join(''))!.text.length).toBeLessThanOrEqual(1_200);
  });
});
