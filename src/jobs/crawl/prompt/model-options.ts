import { z } from 'zod';
import type { Prompt, ResponseForm } from '../../../content/language-model.ts';
import { fieldsOf } from '../../../json/json-object.ts';
import { crawlOptionFields } from '../../../schemas/crawl.ts';
import type { CrawlParams } from './prompt-rules.ts';

/** The options that a model may set, each with its schema in a request. */
const OPTIONS = {
  includePaths: crawlOptionFields.includePaths.unwrap(),
  excludePaths: crawlOptionFields.excludePaths.unwrap(),
  maxDiscoveryDepth: crawlOptionFields.maxDiscoveryDepth.unwrap(),
  limit: crawlOptionFields.limit.unwrap(),
  crawlEntireDomain: z.boolean(),
  allowExternalLinks: z.boolean(),
  allowSubdomains: z.boolean(),
  sitemap: z.enum(['skip', 'include']),
  ignoreRobotsTxt: z.boolean(),
  ignoreQueryParameters: z.boolean(),
  deduplicateSimilarURLs: z.boolean(),
  delay: crawlOptionFields.delay.unwrap(),
};

/** The question for a model which options a prompt describes. */
export const crawlPrompt = (url: string, prompt: string): Prompt => ({
  instructions: `You set the options of a web crawl from the wish of a user. Set only options that the wish clearly asks for, and leave out all others.
- includePaths and excludePaths are regular expressions for the path of a URL, such as ^/blog/. They are matched anywhere in the path unless they begin with ^.
- limit is the number of pages, maxDiscoveryDepth the number of links from the start, delay the seconds between two pages.
- crawlEntireDomain includes pages outside the path of the start URL.`,
  request: `Start URL: ${url}\n\nThe wish: ${prompt}`,
  data: [],
});

const { $schema: _, ...schema } = z.toJSONSchema(z.object(OPTIONS).partial(), {
  io: 'input',
  unrepresentable: 'any',
});

/** The form of the response: invalid options are dropped, so no response has to be asked for again. */
export const crawlOptionsForm: ResponseForm = {
  schema,
  check: (value) => ({ value: validOptions(value), faults: [] }),
};

/** Keeps the valid options of a response. */
export function validOptions(value: unknown): Omit<CrawlParams, 'url'> {
  const given = fieldsOf(value);
  const valid = Object.entries(OPTIONS).flatMap(([name, option]) => {
    const parsed = option.safeParse(given[name]);
    const isEmpty = parsed.success && Array.isArray(parsed.data) && parsed.data.length === 0;
    return parsed.success && !isEmpty ? [[name, parsed.data]] : [];
  });
  // Each option has been checked by the schema of its name.
  return Object.fromEntries(valid) as Omit<CrawlParams, 'url'>;
}
