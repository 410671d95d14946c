import { LiteParse } from '@llamaindex/liteparse';
import { expect, test } from 'vitest';
import { OFFLINE } from '../../../../src/content/parsers/pdf/source/liteparse.ts';
import { parseWithoutCopies } from '../../../../src/content/parsers/pdf/source/native-parse.ts';
import { textLines, writePdf } from './pdf-writer.ts';

test('Parsing without copies has the result of the public function of liteparse', async () => {
  const rect: [number, number, number, number] = [60, 90, 200, 104];
  const file = writePdf([
    {
      texts: textLines(60, 100, ['Two bridges', 'cross the river']),
      strokes: [[60, 300, 400, 300]],
      links: [{ rect, uri: 'https://a.example/' }],
      widgets: [{ rect: [60, 200, 200, 220], dictionary: '/Subtype/Widget/FT/Tx/T(name)/V(Ada)' }],
    },
    { texts: textLines(60, 100, ['The second page']) },
  ]);
  const parser = new LiteParse({
    ...OFFLINE,
    emitWordBoxes: true,
    extractVectorGraphics: true,
    extractAnnotations: true,
    extractFormFields: true,
    extractStructureTree: true,
  });
  expect(
    Object.hasOwn(parser, '_native'),
    'liteparse has no property `_native` any more: look for another way in native-parse.ts, or use `parse`',
  ).toBe(true);
  const copied = await parser.parse(file);
  expect(copied.pages[0]?.textItems[0]?.words?.map(({ text }) => text)).toEqual(['Two', 'bridges']);
  // Absent members of copied runs are `undefined`, which `toEqual` takes for absent.
  expect(await parseWithoutCopies(parser, file)).toEqual(copied);
});
