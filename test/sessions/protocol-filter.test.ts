import { expect, test } from 'vitest';
import { filterCommand } from '../../src/sessions/protocol/protocol-filter.ts';

test.each([
  ['/downloads/report..pdf', true],
  ['/downloads/..a/b', true],
  ['/downloads/../etc/passwd', false],
  ['/downloads/a/..', false],
  ['/etc/passwd', false],
])('whether a page may get the file %s: %s', (file, isAllowed) => {
  const message = { id: 1, method: 'DOM.setFileInputFiles', params: { files: [file] } };
  expect('forward' in Object(filterCommand(message))).toBe(isAllowed);
});
