import { describe, expect, it } from 'vitest';
import {
  type ChangeTrackingMode,
  compareVersions,
  type PageContent,
  packVersion,
} from '../../../src/content/changes/compare.ts';

const compared = (before: PageContent, after: PageContent, modes: ChangeTrackingMode[] = []) =>
  compareVersions({ before: packVersion(before), after, modes });

describe('two versions', () => {
  it('are the same apart from timestamps, counters and the like', () => {
    expect(compared({ markdown: 'a\n\n3 hours ago' }, { markdown: 'a\n4 hours ago' }, ['git-diff'])).toEqual({
      isSame: true,
      warnings: [],
    });
  });

  it('are compared in the requested modes', () => {
    const [before, after] = [{ markdown: 'a' }, { markdown: 'b' }];
    expect(compared(before, after)).toEqual({ isSame: false, warnings: [] });
    expect(compared(before, after, ['git-diff']).diff?.text).toContain('-a\n+b');
  });

  it('without an earlier one are all additions', () => {
    const { diff } = compareVersions({ before: undefined, after: { markdown: 'a\nb' }, modes: ['git-diff'] });
    expect(diff?.text).toBe('--- previous\n+++ current\n@@ -0,0 +1,2 @@\n+a\n+b');
  });
});

describe('structured data', () => {
  const fields = { price: '$1', name: 'Pear', tags: ['a', { b: 1 }], gone: true };

  it('is compared field by field', () => {
    const after = { name: 'Pear', price: '$2', tags: ['a', { b: 2 }], added: 0 };
    const found = compared({ markdown: 'a', json: fields }, { markdown: 'b', json: after }, ['json']);
    expect(found).toEqual({
      isSame: false,
      json: {
        price: { previous: '$1', current: '$2' },
        tags: { previous: ['a', { b: 1 }], current: ['a', { b: 2 }] },
        gone: { previous: true, current: null },
        added: { previous: null, current: 0 },
      },
      warnings: [],
    });
  });

  it('that stayed the same on a changed page has no fields', () => {
    expect(compared({ markdown: 'a', json: fields }, { markdown: 'b', json: fields }, ['json']).json).toEqual(
      {},
    );
  });

  it('that is not an object is one field', () => {
    expect(compared({ markdown: 'a', json: [1] }, { markdown: 'b', json: [2] }, ['json']).json).toEqual({
      value: { previous: [1], current: [2] },
    });
  });

  it('is not invented when there is none', () => {
    const { json, warnings } = compared({ markdown: 'a' }, { markdown: 'b', json: fields }, ['json']);
    expect(json).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('the previous scrape had none')]);
    expect(compared({ markdown: 'a', json: fields }, { markdown: 'b' }, ['json'])).not.toHaveProperty('json');
    expect(compared({ markdown: 'a', json: 1 }, { markdown: 'b', json: 2 })).not.toHaveProperty('json');
  });
});
