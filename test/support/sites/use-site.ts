import { afterAll, beforeAll } from 'vitest';
import { type Site, type SiteOptions, startSite } from '../../site/site.ts';

/**
 * Gives a test file a generated site of its own. It can be used from the first `beforeAll` after `useSite` on,
 * and closes after the last test.
 * @example
 * const site = useSite();
 * it('scrapes an article', async () => {
 *   const { body } = await scrape({ url: `${site.url}/article/1` });
 *   expect(body.data.markdown).toContain(articleTruth(1).firstSentence);
 * });
 */
export function useSite(options?: SiteOptions): Readonly<Omit<Site, 'close'>> {
  let site: Site | undefined;
  beforeAll(async () => {
    site = await startSite(options);
  });
  afterAll(() => site?.close());
  const started = (): Site => {
    if (!site) throw new Error('The site starts in a beforeAll hook and is not there yet.');
    return site;
  };
  return {
    get url() {
      return started().url;
    },
    hits: (path) => started().hits(path),
  };
}
