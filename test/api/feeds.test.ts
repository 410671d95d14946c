import { describe, expect, it } from 'vitest';
import { scrape } from '../support/api/call.ts';
import { startPages } from '../support/sites/pages.ts';

const FEED =
  '<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><item><title>One</title><link>/one</link></item></channel></rss>';

describe('a feed that is scraped', () => {
  it.each(['application/rss+xml', 'text/html; charset=utf-8'])(
    'gives its entries as markdown and links, sent as %s',
    async (contentType) => {
      await using site = await startPages({
        '/feed': (_request, response) => response.writeHead(200, { 'Content-Type': contentType }).end(FEED),
      });
      const { data } = (await scrape({ url: `${site.url}/feed`, formats: ['markdown', 'links', 'rawHtml'] }))
        .body;
      expect(data).toMatchObject({
        markdown: `# News\n\n## [One](${site.url}/one)`,
        links: [`${site.url}/one`],
        rawHtml: FEED,
        metadata: { title: 'News' },
      });
      expect(data).not.toHaveProperty('warning');
    },
  );
});
