import { z } from 'zod';
import { ServiceError } from '../../../errors.ts';
import { fieldsOf } from '../../../json/json-object.ts';
import { interactBody, interactResponse, sessionEndResponse } from '../../../schemas/session.ts';
import { defineTool, type ToolContext } from '../tool.ts';
import { loosely } from './parameters.ts';
import { memberOf } from './responses.ts';
import { nestedScrapeParameters, toScrapeOptions } from './scrape-parameters.ts';

const PATH = '/v2/scrape/:id/interact';

/** Acts on a page in a browser. */
export const interact = defineTool({
  name: 'firecrawl_interact',
  title: 'Act on a page',
  description:
    'Opens a page in a browser that stays open, and runs code in it (node with page, context and browser of Playwright; python; bash) or does a task in words by a language model. Give the url of a page, or the scrapeId of an earlier scrape or call to go on there. It acts on the real site: forms that it sends are sent. End it with firecrawl_interact_stop.',
  input: z.looseObject({
    url: z.string().optional().describe('URL of the page, in place of scrapeId'),
    scrapeId: z
      .string()
      .optional()
      .describe('id of a scrape, or of the page that an earlier call has opened'),
    ...loosely(interactBody, ['prompt', 'code', 'language', 'timeout']).shape,
    scrapeOptions: z.looseObject(nestedScrapeParameters).optional().describe('how url is opened'),
  }),
  output: interactResponse.extend({ scrapeId: z.string().optional() }),
  hints: { openWorld: true },
  async run({ url, scrapeId, scrapeOptions, ...body }, { call }) {
    if ((url === undefined) === (scrapeId === undefined))
      throw new ServiceError('BAD_REQUEST', 'Either url or scrapeId is needed, and not both.');
    if (url === undefined && scrapeOptions !== undefined)
      throw new ServiceError(
        'BAD_REQUEST',
        'scrapeOptions say how url is opened, and the page of scrapeId is open already. Leave scrapeOptions out.',
      );
    const id = scrapeId ?? (await open({ url, ...fieldsOf(scrapeOptions) }, call));
    const response = await call({ method: 'post', path: PATH, params: { id }, body });
    return { ...response, scrapeId: id };
  },
});

/** Scrapes a page, which its browser session then continues. @returns the id of the scrape */
async function open(parameters: Record<string, unknown>, call: ToolContext['call']): Promise<string> {
  const body = toScrapeOptions(parameters);
  const { metadata } = memberOf(await call({ method: 'post', path: '/v2/scrape', body }), 'data');
  return String(fieldsOf(metadata).scrapeId);
}

/** Ends the browser of a page. */
export const interactStop = defineTool({
  name: 'firecrawl_interact_stop',
  title: 'Close the browser of a page',
  description:
    'Ends the browser that firecrawl_interact has opened, by its scrapeId. What it had open is lost.',
  input: z.strictObject({ scrapeId: z.string().describe('id that firecrawl_interact has returned') }),
  output: sessionEndResponse,
  hints: { destructive: true },
  run: ({ scrapeId }, { call }) => call({ method: 'delete', path: PATH, params: { id: scrapeId } }),
});
