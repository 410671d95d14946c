import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CLIENTS } from './clients.ts';
import { allSucceeded, type ClientReport, faultsOf, GUIDE, tableOf } from './report.ts';
import type { CallOutcome } from './run-client.ts';

const client = { name: 'a client', version: '1.2', set: '`apiUrl`', faults: { watch: 'it has no socket' } };
const run = (calls: CallOutcome[], crash?: string): ClientReport => ({
  client,
  run: { methods: ['scrape', 'watch', 'research'], calls, ...(crash !== undefined && { crash }) },
});
const fine: CallOutcome[] = [
  { method: 'scrape' },
  { method: 'watch', error: 'no socket' },
  { method: 'research', refusal: 'is not available' },
];

/** A page with one space around each cell of its tables. */
const withoutPadding = (page: string) => page.replaceAll(/ +/g, ' ');

it('a client has the number of its methods, those that work, what is refused, and its own faults', () => {
  const report = run(fine);
  expect(withoutPadding(tableOf([report]))).toContain(
    '| a client | 1.2 | 3 | 1 | `apiUrl` | refused with the reason: `research`; `watch`: it has no socket |',
  );
  expect(faultsOf(report)).toEqual([]);
  expect(allSucceeded([report])).toBe(true);
});

it.each([
  ['fails', [...fine, { method: 'scrape', error: 'http://127.0.0.1:80/ is wrong\nat' }], 'scrape: http'],
  ['is not called', fine.slice(1), 'scrape: not called'],
  [
    'has a fault no longer',
    fine.toSpliced(1, 1, { method: 'watch' }),
    'watch: the fault of the client is gone',
  ],
])('a client with a method that %s does not succeed', (_what, calls, fault) => {
  const report = run(calls);
  expect(faultsOf(report).join()).toContain(fault);
  expect(allSucceeded([report])).toBe(false);
});

it('a client whose program ends early does not succeed', () => {
  const report = run(fine, 'ended with 1: no module');
  expect(allSucceeded([report])).toBe(false);
  expect(tableOf([report])).toContain('**`the program`: ended with 1: no module**');
});

it('a client that cannot be installed is named with the reason', () => {
  const missing = { client, missing: 'cargo ended with 1' };
  expect(withoutPadding(tableOf([missing]))).toContain('| a client | 1.2 | | not run: cargo ended with 1 |');
  expect(allSucceeded([missing])).toBe(true);
});

it('the guide has each client in its version, and no method that fails for another reason', () => {
  const guide = readFileSync(GUIDE, 'utf8');
  for (const { name, version } of CLIENTS)
    expect(withoutPadding(guide)).toContain(`| ${name} | ${version} |`);
  expect(guide).not.toMatch(/\*\*|not run/);
});
