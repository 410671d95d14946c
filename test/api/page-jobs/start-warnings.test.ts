import { describe, expect, it } from 'vitest';
import { warnOfPatterns, warnOfUrls, warnOfWebhook } from '../../../src/api/page-jobs/start-warnings.ts';
import { webhook } from '../../../src/schemas/webhook.ts';

const START = 'https://site.test/blog/';

describe('patterns of a crawl', () => {
  it.each([
    ['usual ones', { includePaths: ['^/blog/'], excludePaths: ['/tag/', '\\.pdf$'] }],
    [
      'whole URLs that are compared with whole URLs',
      { includePaths: ['^https://site'], regexOnFullURL: true },
    ],
    ['an included path that is not that of the start', { includePaths: ['^/news/'] }],
    ['none', {}],
  ])('give no warning: %s', (_name, options) => {
    expect(warnOfPatterns(START, options)).toEqual([]);
  });

  it.each([
    [
      'an empty one to include',
      { includePaths: [''] },
      /^includePaths has an empty pattern.*nothing is left out/,
    ],
    [
      'an empty one to exclude',
      { excludePaths: [''] },
      /^excludePaths has an empty pattern.*the crawl has no documents/,
    ],
    [
      'a whole URL',
      { includePaths: ['https://site.test/blog/.*'] },
      /^includePaths has a whole URL.*regexOnFullURL/,
    ],
    ['an anchored URL', { excludePaths: ['^http://site'] }, /^excludePaths has a whole URL.*matches no page/],
    [
      'one that excludes the start',
      { excludePaths: ['blog'] },
      /^excludePaths matches the start URL https:\/\/site\.test\/blog\//,
    ],
  ])('give a warning: %s', (_name, options, text) => {
    expect(warnOfPatterns(START, options)).toEqual([expect.stringMatching(text)]);
  });
});

describe('a webhook', () => {
  const of = (events?: string[]) =>
    webhook.parse({ url: 'https://site.test/hook', ...(events && { events }) });

  it.each([[undefined], [['page']], [['crawl.page', 'batch_scrape.page']]])(
    'that gets something: %j',
    (events) => {
      expect(warnOfWebhook(of(events), 'crawl')).toEqual([]);
    },
  );

  it.each([[[]], [['batch_scrape.page', 'batch_scrape.completed']]])('that gets nothing: %j', (events) => {
    expect(warnOfWebhook(of(events), 'crawl')).toEqual([
      'The webhook gets nothing, because webhook.events names no event of this job. Its events are crawl.started, crawl.page, crawl.completed, crawl.failed; leave events out to get all.',
    ]);
  });
});

describe('the URLs of a batch', () => {
  it('are told where a comma stands between two of them', () => {
    expect(warnOfUrls(['http://a.test/', 'http://a.test/1, https://a.test/2'])).toEqual([
      expect.stringMatching(/^urls\[1\] has a comma .* an entry of its own\.$/),
    ]);
  });

  it('may have commas and URLs in them', () => {
    expect(warnOfUrls(['http://a.test/1,2', 'http://a.test/http://b.test/', 5])).toEqual([]);
  });
});
