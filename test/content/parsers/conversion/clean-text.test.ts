import { expect, test } from 'vitest';
import { cleanDocument } from '../../../../src/content/parsers/conversion/clean-text.ts';

test('a converted document has neither halves of characters nor control characters', () => {
  const document = {
    html: '<p>a\ud83d b\udc00\0\x07\tc\r\n😀\uffff</p>',
    metadata: { title: 'x\ud800\x1by' },
    warnings: ['The sheet "\udfff" was cut.'],
  };
  expect(cleanDocument(document)).toEqual({
    html: '<p>a\ufffd b\ufffd\tc\r\n😀</p>',
    metadata: { title: 'x\ufffdy' },
    warnings: ['The sheet "\ufffd" was cut.'],
  });
});
