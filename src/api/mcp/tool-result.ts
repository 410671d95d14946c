import type { CallToolResult } from '@modelcontextprotocol/server';
import { encodeCursor } from './cursor.ts';
import { isEnded } from './follow-job.ts';
import { markedText } from './marked-text.ts';
import type { Reading, RouteResponse } from './route-call.ts';
import { partOf } from './value-parts.ts';

/** The most tokens of one result. */
const MAX_TOKENS = 20_000;
/** Models count a token for about so many bytes of text. */
const BYTES_PER_TOKEN = 3;
const MAX_BYTES = MAX_TOKENS * BYTES_PER_TOKEN;

/**
 * The result of a tool. One that is too long for a model comes in parts. A job that has failed is an error, although its
 * state was read.
 * @param source what the result is of
 * @param reading how it is read again; absent for one that comes as a whole
 */
export function toResult(source: string, value: RouteResponse, reading?: Reading): CallToolResult {
  const { from = 0 } = reading ?? {};
  const { part, end, total } = partOf(value, from, reading ? MAX_BYTES : Number.POSITIVE_INFINITY);
  const failed = value.status === 'failed' && { isError: true };
  if (from === 0 && end >= total)
    return { ...failed, content: [dataOf(value, source)], structuredContent: value };
  const remainingTokens = Math.ceil((total - end) / BYTES_PER_TOKEN);
  // What a running job adds would move the place at which the next part begins.
  const canContinue = reading && remainingTokens > 0 && isEnded(value);
  const page = { ...(canContinue && { cursor: encodeCursor({ ...reading, from: end }) }), remainingTokens };
  return {
    ...failed,
    content: [dataOf(part, source), { type: 'text', text: describePage(page) }],
    structuredContent: { ...part, page },
  };
}

const dataOf = (value: RouteResponse, source: string) => ({
  type: 'text' as const,
  text: markedText(JSON.stringify(value), source),
});

/** Says what is left, outside of the marks of the data. */
function describePage({ cursor, remainingTokens }: { cursor?: string; remainingTokens: number }): string {
  if (remainingTokens === 0) return 'This is the last part of the result.';
  const left = `This is a part of the result. About ${remainingTokens} tokens are left`;
  return cursor === undefined
    ? `${left}, which can be read when the job has ended.`
    : `${left}: firecrawl_read_more with the cursor ${cursor} returns the next part, in which members, entries and texts go on where they end here.`;
}
