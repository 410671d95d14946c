import { z } from 'zod';
import { decodeCursor } from '../cursor.ts';
import { defineTool } from '../tool.ts';
import { memberOf } from './responses.ts';

/** Reads the next part of a result. */
export const readMore = defineTool({
  name: 'firecrawl_read_more',
  title: 'Read the next part of a result',
  description:
    'Returns the next part of a result that was too long for one response, by the cursor at its end. Reading costs nothing.',
  input: z.strictObject({ cursor: z.string().describe('from the result of which this is the next part') }),
  output: z.looseObject({}),
  hints: { readOnly: true },
  readAgain: (_, { cursor }) => decodeCursor(cursor),
  async run({ cursor }, { call }) {
    const { path, params, query, member, extra } = decodeCursor(cursor);
    const response = await call({ method: 'get', path, ...(params && { params }), ...(query && { query }) });
    return { ...extra, ...(member === undefined ? response : memberOf(response, member)) };
  },
});
