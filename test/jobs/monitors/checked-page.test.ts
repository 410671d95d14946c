import { beforeEach, describe, expect, it } from 'vitest';
import { compareVersions, packVersion } from '../../../src/content/changes/compare.ts';
import { type LinesTask, matchLines } from '../../../src/content/rendering/match-lines.ts';
import { addScreenshot, checkPage, ignoredLines } from '../../../src/jobs/monitors/checked-page.ts';
import { findIgnored, isSignificant } from '../../../src/jobs/monitors/significant-change.ts';
import type { ChangeDetection } from '../../../src/schemas/monitor-targets.ts';

const ALL: ChangeDetection = { ignore: [], ignorePatterns: [], minChangedWords: 1, failureThreshold: 2 };

/** The tasks that were given to a rendering thread. */
let elsewhere: LinesTask[] = [];
beforeEach(() => {
  elsewhere = [];
});
const matchElsewhere = async (task: LinesTask) => {
  elsewhere.push(task);
  return matchLines(task);
};

/** Whether the difference of two texts counts. */
async function counts(
  before: string,
  after: string,
  changes: Partial<ChangeDetection> = {},
): Promise<boolean> {
  const detection = { ...ALL, ...changes };
  const { diff } = compareVersions({
    before: packVersion({ markdown: before }),
    after: { markdown: after },
    modes: ['git-diff'],
  });
  return (
    diff !== undefined && isSignificant(diff, detection, await findIgnored(diff, detection, matchElsewhere))
  );
}

describe('a change counts unless', () => {
  it.each<[string, string, string, Partial<ChangeDetection>]>([
    ['numbers are ignored', 'It costs 12.50 euros', 'It costs 9 euros', { ignore: ['numbers'] }],
    ['dates are ignored', 'On 2027-01-02 at 10:30', 'On 3. März 2027 at 11:45 pm', { ignore: ['dates'] }],
    ['the order is ignored', 'one\n\ntwo\n\nthree', 'three\n\none\n\ntwo', { ignore: ['order'] }],
    ['links are ignored', '[a](https://a.test/1)', '[a](https://a.test/2)', { ignore: ['links'] }],
    ['images are ignored', 'text ![x](https://a.test/1.png)', 'text', { ignore: ['images'] }],
    [
      'a pattern matches its lines',
      'Seen by 3\n\nrest',
      'Seen by 4\n\nrest',
      { ignorePatterns: ['^Seen by'] },
    ],
    ['fewer words changed', 'a b c d', 'a b c e', { minChangedWords: 2 }],
  ])('%s', async (_name, before, after, detection) => {
    expect(await counts(before, after)).toBe(true);
    expect(await counts(before, after, detection)).toBe(false);
    expect(elsewhere).toEqual([]);
  });

  it.each<[string, string, string, Partial<ChangeDetection>]>([
    ['a word beside a number', 'It costs 12 euros', 'It costs 9 dollars', { ignore: ['numbers'] }],
    ['a new line in another order', 'one\n\ntwo', 'two\n\nfour\n\none', { ignore: ['order'] }],
    ['a line that no pattern matches', 'a\n\nb', 'a\n\nc', { ignorePatterns: ['^Seen'] }],
    ['a moved line', 'one\n\ntwo\n\nthree\n\nfour', 'two\n\nthree\n\nfour\n\none', { ignore: ['numbers'] }],
    ['enough words', 'a b c d', 'a b e f', { minChangedWords: 2 }],
  ])('%s changed', async (_name, before, after, detection) =>
    expect(await counts(before, after, detection)).toBe(true),
  );

  const ignorePatterns = ['(a|aa)+(b|c|d){20}$', '[xy]$'];
  const long = (length: number, word: string) => `${'a'.repeat(length)} ${word}`;

  it('a pattern matches its lines, which a rendering thread finds out for long ones', async () => {
    expect(await counts(long(50_000, 'x'), long(50_000, 'y'), { ignorePatterns })).toBe(false);
    expect(elsewhere).toMatchObject([{ patterns: ignorePatterns, lines: { length: 2 } }]);
  });

  it('its patterns would take too long, and then it counts', async () => {
    const large = { ignorePatterns: ['(a|aa)+(b|c|d){400}$', '[xy]$'] };
    expect(await counts(long(1_000_000, 'x'), long(1_000_000, 'y'), large)).toBe(true);
  });
});

describe('a page of a check', () => {
  const comparing = { detection: ALL, modes: ['git-diff'] as const };
  const documentOf = (changeStatus: string, more: object = {}) => ({
    metadata: { statusCode: 200, title: 'A', secret: 1 },
    changeTracking: { changeStatus, visibility: 'visible', previousScrapeAt: null, ...more },
  });
  const same = { status: 'same' } as const;
  const statusOf = (
    document: Record<string, unknown> | undefined,
    earlier?: Parameters<typeof checkPage>[2]['earlier'],
  ) => checkPage({ error: null }, document, { earlier, comparing }).status;

  it('is new, the same or changed as its history says', () => {
    expect(statusOf(documentOf('new'))).toBe('new');
    expect(statusOf(documentOf('same'), same)).toBe('same');
    expect(statusOf(documentOf('changed'), same)).toBe('changed');
    // The check that saw it for the first time has expired.
    expect(statusOf(documentOf('changed'))).toBe('new');
  });

  it('is removed once, and only if it was there', () => {
    expect(statusOf(documentOf('removed'), same)).toBe('removed');
    expect(statusOf(documentOf('removed'), { status: 'removed' })).toBe('same');
    expect(statusOf(documentOf('removed'))).toBe('error');
    expect(statusOf(documentOf('changed'), { status: 'removed' })).toBe('new');
  });

  it('that could not be read is an error with its reason, and no change', () => {
    const failed = checkPage({ error: { code: 'SCRAPE_TIMEOUT', message: 'Too slow.' } }, undefined, {
      earlier: same,
      comparing,
    });
    expect(failed).toMatchObject({ status: 'error', error: 'Too slow.' });
    const document = { metadata: { statusCode: 503 }, warning: 'changeTracking was left out' };
    expect(checkPage({ error: null }, document, { earlier: same, comparing })).toMatchObject({
      status: 'error',
      error: 'The page responded with HTTP 503.',
      statusCode: 503,
    });
  });

  it('whose data alone is compared has changed only if a field has', () => {
    const data = { detection: ALL, modes: ['json'] as const };
    const check = (json: object) =>
      checkPage(
        { error: null },
        { ...documentOf('changed', { json }), json: { price: 9 } },
        { earlier: same, comparing: data },
      );
    expect(check({}).status).toBe('same');
    const price = { previous: 12, current: 9 };
    expect(check({ price })).toMatchObject({
      status: 'changed',
      metadata: { title: 'A' },
      details: { diff: { json: { price } }, snapshot: { json: { price: 9 } } },
    });
    expect(check({ price }).metadata).not.toHaveProperty('secret');
  });

  describe('whose lines a rendering thread compares', () => {
    const ignorePatterns = ['(a|aa)+(b|c|d){20}$', '[xy]$'];
    const long = (word: string) => `${'a'.repeat(50_000)} ${word}`;
    const { diff } = compareVersions({
      before: packVersion({ markdown: long('x') }),
      after: { markdown: long('y') },
      modes: ['git-diff'],
    });
    const detection = { ...ALL, ignorePatterns };
    const check = async (
      options: Pick<Parameters<typeof ignoredLines>[2], 'matchElsewhere'> & {
        modes?: ('git-diff' | 'json')[];
        json?: object;
        signal?: AbortSignal;
      },
    ) => {
      const {
        modes = ['git-diff'],
        json,
        signal = new AbortController().signal,
        matchElsewhere: match,
      } = options;
      const document = documentOf('changed', { diff, ...(json && { json }) });
      const compared = { earlier: same, comparing: { detection, modes } };
      const faults: unknown[] = [];
      const onFault = (error: unknown) => faults.push(error);
      const ignored = await ignoredLines(document, compared, { matchElsewhere: match, signal, onFault });
      return { ...checkPage({ error: null }, document, { ...compared, ignored }), faults };
    };
    const fault = new Error('The thread has no memory left.');
    const fail = () => Promise.reject(fault);

    it('has changed if the thread fails, which is told', async () => {
      expect(await check({ matchElsewhere })).toMatchObject({ status: 'same', faults: [] });
      expect(await check({ matchElsewhere: fail })).toMatchObject({ status: 'changed', faults: [fault] });
    });

    it('is not decided about if the check is aborted', async () => {
      const signal = AbortSignal.abort(new Error('The worker ends.'));
      await expect(check({ matchElsewhere: fail, signal })).rejects.toThrow('The worker ends.');
    });

    it('needs none of that if its data alone is compared', async () => {
      const data = await check({ matchElsewhere: fail, modes: ['json'], json: {} });
      expect(data).toMatchObject({ status: 'same', faults: [] });
    });
  });

  it('whose screenshot alone counts has not changed by its words', () => {
    const check = (ignoresWords: boolean) =>
      checkPage({ error: null }, documentOf('changed'), {
        earlier: same,
        comparing: { ...comparing, ignoresWords },
      }).status;
    expect([check(false), check(true)]).toEqual(['changed', 'same']);
  });

  it('has changed by its words or by its screenshot', () => {
    const diff = { changedShare: 0.1, before: 'b', after: 'a', difference: 'd' };
    const words = (changeStatus: string, earlier: typeof same | undefined = same) =>
      checkPage({ error: null }, documentOf(changeStatus), { earlier, comparing });
    const pictured = { kept: 'a', isChanged: true, changedShare: 0.1, diff };
    expect(addScreenshot(words('same'), pictured)).toMatchObject({
      status: 'changed',
      details: { diff: { screenshot: diff }, snapshot: { screenshot: 'a', changedShare: 0.1 } },
    });
    const noise = { kept: 'b', isChanged: false, changedShare: 0.001 };
    const still = addScreenshot(words('same'), noise);
    expect(still).toMatchObject({
      status: 'same',
      details: { snapshot: { screenshot: 'b', changedShare: 0.001 } },
    });
    expect(still.details).not.toHaveProperty('diff');
    expect(addScreenshot(words('changed'), noise).status).toBe('changed');
    const first = addScreenshot(words('new', undefined), { kept: 'a', isChanged: false });
    expect(first).toMatchObject({ status: 'new', details: { snapshot: { screenshot: 'a' } } });
    expect(addScreenshot(words('same'), { kept: null, isChanged: false }).details).toBeUndefined();
  });
});
