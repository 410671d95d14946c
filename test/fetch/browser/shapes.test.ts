import { expect, it } from 'vitest';
import { SCRIPT_SHAPES, STATIC_SHAPES, shapeSentence } from '../../site/site.ts';
import { scrape } from '../../support/api/call.ts';
import { useSite } from '../../support/sites/use-site.ts';
import { sampleOf } from '../../support/suite/corpus.ts';

/** Pages as the web has them, scraped as anybody would: without saying whether they need a browser. */
const site = useSite();

it.each(sampleOf(Object.keys(SCRIPT_SHAPES), 3))(
  'a page of the shape %s has the content of its scripts',
  async (name) => {
    const { body } = await scrape({
      url: `${site.url}/shapes/script/${name}/7`,
      maxAge: 0,
      onlyMainContent: false,
    });
    expect(body.data?.markdown, JSON.stringify(body)).toContain(shapeSentence(7));
  },
);

it.each(Object.keys(STATIC_SHAPES))(
  'a page of the shape %s is fetched once without its scripts',
  async (name) => {
    const before = site.hits();
    const { body } = await scrape({ url: `${site.url}/shapes/static/${name}/7`, maxAge: 0 });
    expect(body.success, JSON.stringify(body)).toBe(true);
    expect(site.hits() - before).toBe(1);
  },
);
