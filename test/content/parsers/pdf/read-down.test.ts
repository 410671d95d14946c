import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PlacedText, textLines, writePdf } from './pdf-writer.ts';

const convert = async (texts: PlacedText[]) => (await pdfToHtml(writePdf([{ texts }]))).html;
const wordsOf = (html: string) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
/** Lines in columns, of which each has as many as given. */
const inColumns = (lefts: readonly number[], lines: readonly string[], height: number) =>
  lefts.flatMap((x, column) =>
    lines
      .slice(column * height, (column + 1) * height)
      .map((text, line): PlacedText => ({ x, y: 100 + 14 * line, text })),
  );

describe('a list in alphabetical order in several columns', () => {
  test('such as an index is read down', async () => {
    const entries =
      'anchor, 3;boat, 14, 88;bridge, 60;canal, 7;dune, 12-15;eel, 9;ferry, 41;gull, 23;harbour, 2;island, 77;jetty, 31;keel, 5;lee, 6;mole, 80;net, 19'.split(
        ';',
      );
    const html = await convert(inColumns([60, 220, 380], entries, 5));
    expect(html).not.toContain('<table');
    expect(html.match(/<p>/g)).toHaveLength(entries.length);
    expect(wordsOf(html)).toBe(entries.join(' '));
  });

  test('such as names of members is read down', async () => {
    const names =
      'Adler Ines;Becker Tom;Costa Luis;Dahl Marit;Egger Paul;Faye Awa;Grant Ian;Hoxha Ana;Ito Ken;Jansen Piet;Kaya Elif;Lund Eva'.split(
        ';',
      );
    const words = wordsOf(await convert(inColumns([60, 200, 340], names, 4)));
    expect(words).toBe(names.join(' '));
  });

  test('is not made of a table whose first column is in that order', async () => {
    const rows = [
      'Aberdeen east 1804',
      'Dundee south 1825',
      'Inverness north 1796',
      'Perth south 1810',
      'Wick north 1840',
    ];
    const texts = rows.flatMap((row, y) =>
      row.split(' ').map((text, x): PlacedText => ({ x: 60 + 120 * x, y: 100 + 14 * y, text })),
    );
    const html = await convert(texts);
    expect(html).toContain('<td>Perth</td><td>south</td><td>1810</td>');
  });
});

describe('two columns that are equally wide', () => {
  const QUESTIONS: [string, string, string][] = [
    ['When do you open?', 'From Tuesday to Sunday at ten, and on', 'Thursdays we stay open until nine.'],
    ['May I take photographs?', 'Yes, without a flash and a stand, except', 'in the room with the loans.'],
    ['Is there a lift?', 'All floors can be reached by it, and', 'wheelchairs are lent at the desk.'],
    ['Where can I eat?', 'There is a café on the ground floor, and', 'your own food is welcome in the yard.'],
    ['Are dogs allowed?', 'Only guide dogs are, but there is a place', 'in the shade for all others.'],
    ['How long do I need?', 'Most guests stay for about two hours, and', 'the tour takes fifty minutes.'],
  ];
  const column = (x: number, questions: [string, string, string][]) =>
    questions.flatMap(([question, ...answer], place): PlacedText[] => [
      { x, y: 100 + 54 * place, text: question, font: 'Helvetica-Bold' },
      ...textLines(x, 114 + 54 * place, answer),
    ]);

  test('with questions and answers at the same heights are read one after the other', async () => {
    const html = await convert([...column(60, QUESTIONS.slice(0, 3)), ...column(320, QUESTIONS.slice(3))]);
    expect(html).not.toContain('<table');
    expect(wordsOf(html)).toBe(QUESTIONS.flat().join(' '));
  });

  test('with paragraphs at the same heights are read one after the other', async () => {
    const paragraphs = QUESTIONS.map(([, first, second]) => [first, second]);
    const texts = paragraphs.flatMap((lines, place) =>
      textLines(place < 3 ? 60 : 320, 100 + 40 * (place % 3), lines),
    );
    expect(wordsOf(await convert(texts))).toBe(paragraphs.flat().join(' '));
  });
});
