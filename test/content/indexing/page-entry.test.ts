import { describe, expect, it } from 'vitest';
import { splitWords, tokenizeWords } from '../../../src/content/answers/words.ts';
import { makePageEntry } from '../../../src/content/indexing/page-entry.ts';
import { queryTerms } from '../../../src/content/indexing/query-terms.ts';
import { rankPages } from '../../../src/content/indexing/rank-pages.ts';

function entryOf(fields: Record<string, unknown>, change: Record<string, unknown> = {}) {
  const entry = makePageEntry({
    url: 'https://www.docs.example.com/caf%C3%A9/list',
    fetchedAt: 1,
    documentType: undefined,
    fields,
    metadata: { title: 'The Title', description: 'About it' },
    ...change,
  });
  return { ...entry, lexemes: entry.lexemes.split(' ') };
}

describe('the entry of a page', () => {
  it('has the text of markdown without its markup', () => {
    const markdown =
      '# Head\\-line\n\n- **bold** [link](https://x.example/a_b) and ![picture](p.png)\n\n> `code` snake_case\n\n| a | b |';
    expect(entryOf({ markdown }).content).toBe('Head-line\nbold link and \ncode snake_case\na b');
  });

  it('has the text of HTML without scripts, if there is no markdown', () => {
    const html =
      '<h1>One</h1><script>two()</script><style>three{}</style><p>Four &amp; <b>fi</b>ve</p><!-- six -->';
    for (const field of ['html', 'rawHtml'])
      expect(entryOf({ [field]: html }).content).toBe('One\nFour & five');
  });

  it.each(['<', '<p', '<!--', '<svg ', '<svg></svg', '<STYLE><!-- '])(
    'has the text of HTML with any number of beginnings without an end: %s',
    (beginning) => {
      const html = `<p>One</p><script>two()</SCRIPT ><SVG><svg></svg>three${beginning.repeat(128_000)}`;
      const { content } = entryOf({ html });
      expect(content).toMatch(/^One\s+three/);
    },
  );

  it('is made of the metadata alone for a page without text', () => {
    const { content, lexemes } = entryOf({ links: ['https://x.example/'] });
    expect(content).toBe('');
    expect(lexemes).toEqual(
      expect.arrayContaining([
        'title',
        '=title',
        '=cafe',
        '=list',
        '.docs.example.com',
        '.example.com',
        '.com',
      ]),
    );
  });

  it('has no empty lexeme, which Postgres would refuse, for a page without any word', () => {
    const { lexemes } = entryOf({ links: [] }, { metadata: {} });
    expect(lexemes).toContain('=cafe');
    expect(lexemes).not.toContain('');
  });

  it('has each word once, without accents and function words, and no word that is too long', () => {
    const { lexemes } = entryOf({ markdown: `The Ärger, the ÄRGER and ${'x'.repeat(41)} 東京` });
    expect(lexemes.filter((each) => each === 'arger')).toHaveLength(1);
    expect(lexemes).toContain('東京');
    expect(lexemes).not.toContain('the');
    expect(lexemes.every((each) => each.length <= 41)).toBe(true);
  });

  it('has neither characters that the database lacks nor more than the beginning of a long text', () => {
    const { content, lexemes } = entryOf({ markdown: `a\0b ${'word '.repeat(100_000)}\ud83d` });
    expect(content).not.toContain('\0');
    expect(content.length).toBeLessThanOrEqual(10_000);
    expect(content.isWellFormed()).toBe(true);
    expect(lexemes.length).toBeLessThan(20);
    const many = entryOf({ markdown: Array.from({ length: 5_000 }, (_, n) => `w${n}`).join(' ') });
    expect(many.lexemes.length).toBeLessThan(1_120);
  });

  it('has as much text of a page that begins with formatting as of any other', () => {
    const { content } = entryOf({ markdown: `${'| --- |\n'.repeat(3_000)}${'word\n'.repeat(3_000)}` });
    expect(content).toBe('word\n'.repeat(2_000));
  });

  it('has the words at the end of a text that is longer than most', () => {
    const text = Array.from({ length: 800 }, (_, n) => `word${n} and some of the other words there are`);
    expect(entryOf({ markdown: text.join('\n') }).lexemes).toContain('word799');
  });

  it.each([
    ['ASCII', `Blue LAMPS, blue-lamps: 3.5 kg “x” ${'y'.repeat(40)} ${'z'.repeat(121)} lamps`],
    ['accents', 'Größe naïve café, Größe CAFÉ e\u0301te ½ ﬁn x² 😀'],
    ['Cyrillic', `Привет, мир! ПРИВЕТ ${'я'.repeat(40)} ${'я'.repeat(41)} ${'я'.repeat(70)}`],
    ['right to left', 'שלום עולם, مرحبا بالعالم، שלום'],
    ['Chinese and Thai', '我们在东京喝咖啡 coffee ฉันรักประเทศไทย 我们'],
    ['halves of surrogate pairs', 'one\ud83dtwo \udc00 three\ud840'],
    ['nothing but function words', 'the and of'],
  ])('has the words that a query is split into: %s', (_, text) => {
    const { lexemes } = entryOf({ summary: text }, { url: 'https://a.example/', metadata: {} });
    const words = splitWords(text).filter(
      (word) => word.length <= 40 && !['the', 'and', 'of'].includes(word),
    );
    expect(lexemes.filter((each) => each && !each.startsWith('.'))).toEqual([...new Set(words)]);
  });

  it('has no lines between the head and the rows of a table', () => {
    const markdown = '| Price | Name |\n| ---: | --- |\n| -5 | Lamp |';
    expect(entryOf({ markdown }).content).toBe('Price Name \n-5 Lamp');
  });

  it('survives URLs with wrong escapes', () => {
    expect(entryOf({}, { url: 'https://a.example/%E0%A4%A' }).url).toBe('https://a.example/%E0%A4%A');
  });
});

describe('the words of a text', () => {
  it.each([
    ['Latin', 'Größe, naïve café', ['große', 'naive', 'cafe']],
    ['Greek', 'Καλημέρα κόσμε', ['καλημερα', 'κοσμε']],
    ['Cyrillic', 'Привет, мир!', ['привет', 'мир']],
    ['Hebrew', 'שלום עולם', ['שלום', 'עולם']],
    ['Arabic', 'مرحبا بالعالم', ['مرحبا', 'بالعالم']],
    ['numbers', 'In 2026: 3.5 GB', ['in', '2026', '3', '5', 'gb']],
    ['symbols', '— … 🎉 « » ® ° ·', []],
    ['other forms of letters', 'ﬁn ℃ x² １２ 𝒂', ['fin', 'c', 'x2', '12', 'a']],
    ['half of a rare Chinese character', 'one\ud840two', ['one', 'two']],
  ])('are split at spaces and punctuation in %s', (_, text, words) => {
    expect(splitWords(text)).toEqual(words.map((word) => word.normalize('NFKD').replace(/\p{M}/gu, '')));
  });

  it.each([
    ['Chinese', '我们在东京喝咖啡'],
    ['Japanese', 'レンズを磨いていました'],
    ['Thai', 'ฉันรักประเทศไทย'],
  ])('are those of a dictionary in %s', (_, text) => {
    expect(splitWords(text)).toEqual(tokenizeWords(text));
    expect(splitWords(text).length).toBeGreaterThan(1);
  });
});

describe('the terms of a query', () => {
  const wordsOf = (query: string, language = 'en') =>
    queryTerms(query, language).map(({ forms }) => forms[0]);

  it('are its words without function words of English and of the language', () => {
    expect(wordsOf('What is the price of a lamp?')).toEqual(['price', 'lamp']);
    expect(wordsOf('der Preis und die Lampe', 'de')).toEqual(['preis', 'lampe']);
    expect(wordsOf('to be or')).toEqual(['to', 'be', 'or']);
  });

  it('have singular and plural', () => {
    expect(queryTerms('lamps glass', 'en')).toEqual([{ forms: ['lamps', 'lamp'] }, { forms: ['glass'] }]);
  });

  it('are limited in number, and none for a query of symbols', () => {
    expect(queryTerms(Array.from({ length: 250 }, (_, n) => `w${n}`).join(' '), 'en')).toHaveLength(32);
    expect(queryTerms("!&|<->:*'\\()", 'en')).toEqual([]);
  });
});

describe('the ranking of pages', () => {
  const terms = [
    { forms: ['lens'], weight: 3, isInScore: true },
    { forms: ['lamp', 'lamps'], weight: 1, isInScore: true },
  ];

  it('prefers pages with the words in one sentence, and describes pages by their best one', () => {
    const ranked = rankPages(
      [
        { content: 'A lens is here. A lamp is there.', score: 4 },
        { content: 'Nothing of it.\nThe lens of the lamps. More text follows.', score: 4 },
        { content: '', score: 4 },
      ],
      terms,
    );
    expect(ranked.map(({ highlight }) => highlight)).toEqual([
      'The lens of the lamps. More text follows.',
      'A lens is here. A lamp is there.',
      '',
    ]);
  });

  it('counts the words that the index did not look up', () => {
    const common = { forms: ['maker'], weight: 2, isInScore: false };
    const pages = ['A lens.', 'A lens. It has a maker.', 'A lens.'].map((content) => ({ content, score: 3 }));
    const ranked = rankPages(pages, [...terms, common]);
    expect(ranked.map(({ page, score }) => [page.content, score])).toEqual([
      ['A lens. It has a maker.', 8],
      ['A lens.', 6],
      ['A lens.', 6],
    ]);
  });

  it('cuts a long description at a word', () => {
    const [{ highlight } = { highlight: '' }] = rankPages(
      [{ content: `lens ${'word '.repeat(500)}`, score: 1 }],
      terms,
    );
    expect(highlight).toMatch(/^lens (?:word )+word…$/);
    expect(highlight.length).toBeLessThanOrEqual(301);
  });
});
