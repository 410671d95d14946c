import { expect, test } from 'vitest';
import { expandRtf } from '../../../../src/content/parsers/mail/compressed-rtf.ts';

// The examples of MS-OXRTFCP 4.1 and 4.2.
const SIMPLE =
  '2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232 0af32068656c090020627705b06c647d0a800fa0'.replace(
    ' ',
    '',
  );
const OVERLAPPING = '1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0';

test('compressed RTF is expanded', () => {
  expect(expandRtf(Buffer.from(SIMPLE, 'hex')).toString()).toBe(
    '{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n',
  );
});

test('a reference can overlap with what it writes', () => {
  expect(expandRtf(Buffer.from(OVERLAPPING, 'hex')).toString()).toBe('{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}');
});

test('a body that is cut gives its beginning, and a huge or unknown one is an error', () => {
  const simple = Buffer.from(SIMPLE, 'hex');
  expect(expandRtf(simple.subarray(0, 30)).toString()).toMatch(/^\{\\rtf1\\ansi\\ansicpg/);
  const huge = Buffer.from(simple);
  huge.writeUInt32LE(0x7fffffff, 4);
  expect(() => expandRtf(huge)).toThrow(RangeError);
  expect(() => expandRtf(Buffer.from('no compressed RTF'))).toThrow(RangeError);
});
