import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { readJsonLines } from '../../../src/sessions/code/json-lines.ts';

/** The messages of a program that runs code, which the code may write as well. */

const MB = 1024 * 1024;

/** Reads chunks. @returns the values of their lines, and the number of floods */
function read(chunks: Iterable<string | Buffer>) {
  const stream = new PassThrough();
  const values: unknown[] = [];
  let floods = 0;
  readJsonLines(stream, { onLine: (value) => values.push(value), onFlood: () => floods++ });
  // Chunks reach the listener as they are written, one by one.
  for (const chunk of chunks) stream.emit('data', Buffer.from(chunk));
  return { values, floods };
}

it('lines may come in any pieces, several at once, and with others that are no JSON', () => {
  const text = '{"id":1,"result":"ä\u2028"}\n\nprinted\n{"ready":true}\n';
  const expected = { values: [{ id: 1, result: 'ä\u2028' }, { ready: true }], floods: 0 };
  expect(read([text])).toEqual(expected);
  expect(read([...Buffer.from(text)].map((byte) => Buffer.from([byte])))).toEqual(expected);
  expect(read([text.slice(0, 40), text.slice(40)])).toEqual(expected);
});

it('a long result is a line, and one that never ends is a flood', () => {
  const result = 'x'.repeat(6 * MB);
  expect(read([`{"id":1,"result":"${result}"}\n`]).values).toEqual([{ id: 1, result }]);
  const part = Buffer.alloc(MB, 'x');
  const { values, floods } = read([...Array.from({ length: 17 }, () => part), '\n{"ready":true}\n']);
  expect([values, floods]).toEqual([[{ ready: true }], 1]);
});

it.each([
  ['values', `[${'{},'.repeat(5 * MB)}{}]`],
  ['levels', `${'['.repeat(7 * MB)}${']'.repeat(7 * MB)}`],
  ['members', `{"a":1${',"a":1'.repeat(MB)}}`],
])('a line with more %s than a message is not parsed', (_what, line) => {
  expect(read([line, '\n{"ready":true}\n'])).toEqual({ values: [{ ready: true }], floods: 0 });
});
