import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withSection } from '../figures.ts';
import { CLIENTS } from './clients.ts';
import { allSucceeded, type ClientReport, GUIDE, SECTION, tablesOf } from './report.ts';
import { FAILURES, STEPS, type StepOutcome } from './run-client.ts';
import { EXPECTED } from './site.ts';

/** Tables with one space around each cell. */
const withoutPadding = (tables: string) => tables.replaceAll(/ +/g, ' ');

const client = { name: 'a client', version: 'v1.2' };
const done = (values: Record<string, unknown> = {}): ClientReport => {
  const right: Record<string, unknown> = { connect: 'done', ...EXPECTED, ...values };
  const outcomes: StepOutcome[] = [
    ...STEPS.map((step) => ({ step, value: right[step] })),
    ...FAILURES.map((step) => ({ step, error: `It failed at ws://a:1/v2/browser/x/cdp/${step}\nat` })),
  ];
  return { client, outcomes: new Map(outcomes.map((outcome) => [outcome.step, outcome])) };
};

it('a client that does all steps gets a yes for each, and its errors are shown without secrets', () => {
  const report = done({
    download: { text: EXPECTED.download },
    reconnect: ['', ...EXPECTED.reconnect.toReversed()],
  });
  const tables = withoutPadding(tablesOf([report]));
  expect(tables).toContain('| a client 1.2 | yes | yes | yes | yes | yes | yes |');
  expect(tables).toContain('| the session has ended | `It failed at {cdpUrl}` |');
  expect(allSucceeded([report])).toBe(true);
});

it('a client that does a step by other means than the protocol is named with them', () => {
  const report = { ...done(), client: { ...client, by: { connect: 'a relay', download: 'the API' } } };
  expect(withoutPadding(tablesOf([report]))).toContain('| by a relay | yes | yes | by the API | yes | yes |');
});

it('a client that does a step wrongly, or ends before it, gets a no', () => {
  const wrong = done({ upload: 'something else' });
  wrong.outcomes!.delete('tabs');
  expect(withoutPadding(tablesOf([wrong]))).toMatch(
    /\| yes \| yes \| \*\*no\*\*: "something else" in place of .* \| yes \| \*\*no\*\*: not reached \| yes \|/,
  );
  expect(allSucceeded([wrong])).toBe(false);
});

it('a client that cannot be installed is named with the reason', () => {
  const missing = { client, missing: 'spawn go ENOENT' };
  expect(withoutPadding(tablesOf([missing]))).toContain('| a client 1.2 | not run: spawn go ENOENT |');
  expect(allSucceeded([missing])).toBe(true);
});

it('the guide of sessions has the tables of all clients, all of which did all steps', () => {
  const guide = readFileSync(GUIDE, 'utf8');
  for (const { name } of CLIENTS)
    expect(guide).toMatch(new RegExp(`^\\| ${name} [\\d.]+ +\\| .*\\byes\\b`, 'm'));
  expect(guide).not.toContain('**no**');
  expect(withSection(guide, SECTION, 'tables')).toContain('-->\n\ntables\n\n<!--');
  expect(() => withSection('', SECTION, 'tables')).toThrow('no place for the tables');
});
