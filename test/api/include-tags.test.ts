import { describe, expect, it } from 'vitest';
import { scrape } from '../support/api/call.ts';
import { startPages } from '../support/sites/pages.ts';

describe('includeTags that match nothing', () => {
  it('give a warning', async () => {
    await using site = await startPages({ '/': '<title>T</title><main><h1>Head</h1><p>Words</p></main>' });
    const dataOf = async (includeTags: string[]) =>
      (await scrape({ url: `${site.url}/`, includeTags })).body.data;
    expect(await dataOf(['.none', 'article'])).toMatchObject({
      markdown: '',
      warning: 'includeTags: .none, article match nothing on the page, so nothing of it was kept.',
    });
    const kept = await dataOf(['h1', '.none']);
    expect(kept.markdown).toBe('# Head');
    // Four of nine characters.
    expect(kept.metadata.contentShare).toBe(0.444);
    expect(kept).not.toHaveProperty('warning');
  });
});
