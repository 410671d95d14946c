import { expect, test } from 'vitest';
import {
  isServerCompatible,
  parseTemporalVersion,
} from '../../../src/run/embedded/temporal/temporal-binary.ts';

test.each([
  ['temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)\n', { cli: '1.8.2', server: '1.31.2' }],
  ['temporal version 0.0.0-DEV (Server 1.31.0, UI 2.50.1)', { cli: '0.0.0-DEV', server: '1.31.0' }],
  ['temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)', { cli: '1.5.1', server: '1.29.1' }],
  [
    'a notice of a new version\ntemporal version 1.8.2 (Server 1.31.2, UI 2.50.1)',
    { cli: '1.8.2', server: '1.31.2' },
  ],
  ['temporal version 1.8.2', undefined],
  ['', undefined],
])('the versions of the command line and of the server are read from %j', (text, version) => {
  expect(parseTemporalVersion(text)).toEqual(version);
});

test('only servers of one minor version are compatible with the database file', () => {
  const usable = ['1.31.0', '1.31.2', '1.31.12', '1.30.9', '1.32.0', '1.310.0', '2.31.0'].filter(
    isServerCompatible,
  );
  expect(usable).toEqual(['1.31.0', '1.31.2', '1.31.12']);
});
