import { afterAll, describe, expect, it, vi } from 'vitest';
import { createRenderPool } from '../../../src/content/rendering/render-pool.ts';
import { PathPatterns } from '../../../src/jobs/crawl/path-patterns.ts';
import type { ScopeDecision } from '../../../src/jobs/crawl/scope.ts';

const SITE = 'https://site.test';
const accepted = (path: string): ScopeDecision => ({ url: `${SITE}${path}`, depth: 1, external: false });
const options = { owner: 'team', urgent: false, signal: new AbortController().signal };

const pool = createRenderPool({ threads: 1, warm: false, maxMemoryMb: 256, maxTaskMs: 60_000 });
afterAll(() => pool.close());

describe('the patterns of a crawl', () => {
  it('are matched at once where that is quick', async () => {
    const match = vi.fn<typeof pool.match>();
    const patterns = new PathPatterns({ includePaths: ['^/blog/'], excludePaths: ['draft'] });
    const decisions = [
      accepted('/blog/a'),
      accepted('/shop'),
      accepted('/blog/draft'),
      { skipReason: 'depth' } as const,
    ];
    expect(await patterns.apply(decisions, { match }, options)).toEqual([
      accepted('/blog/a'),
      { skipReason: 'notIncluded' },
      { skipReason: 'excluded' },
      { skipReason: 'depth' },
    ]);
    expect(match).not.toHaveBeenCalled();
  });

  it('are matched in a thread where that may take long, and long URLs are left out that take too many steps', async () => {
    const match = vi.fn(pool.match);
    const patterns = new PathPatterns({
      includePaths: [...Array(20).fill('[ab]*a[ab]{900}[c-z]'), '^/page'],
    });
    const attack = Array.from({ length: 40 }, (_, n) => accepted(`/${'ab'.repeat(3_500)}${n}`));
    const applied = await patterns.apply(
      [...attack, accepted('/page'), accepted('/other')],
      { match },
      options,
    );
    expect(applied).toEqual([
      ...attack.map(() => ({ skipReason: 'unmatched' })),
      accepted('/page'),
      { skipReason: 'notIncluded' },
    ]);
    expect(match).toHaveBeenCalledOnce();
  });

  it('leave out what takes too many steps where there is no thread', () => {
    const patterns = new PathPatterns({ excludePaths: ['[ab]*a[ab]{900}[c-z]'] });
    expect(patterns.applyAtOnce([accepted(`/${'ab'.repeat(3_500)}`), accepted('/page')])).toEqual([
      { skipReason: 'unmatched' },
      accepted('/page'),
    ]);
  });
});
