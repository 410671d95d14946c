import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { ListCursor } from '../../storage/db/jobs/jobs.ts';

const cursorContent = z.tuple([z.iso.datetime(), z.uuid()]);

/** Encodes a position in a list that is sorted newest first. Clients send it to request the next part. */
const encodeCursor = ({ createdAt, id }: ListCursor) =>
  Buffer.from(JSON.stringify([createdAt.toISOString(), id])).toString('base64url');

/**
 * Decodes a cursor.
 * @throws ServiceError `BAD_REQUEST` for any text that `encodeCursor` cannot have returned
 */
export function decodeCursor(text: string): ListCursor {
  try {
    const [createdAt, id] = cursorContent.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return { createdAt: new Date(createdAt), id };
  } catch (cause) {
    throw new ServiceError(
      'BAD_REQUEST',
      'The cursor is invalid. Use the cursor of the previous response, unchanged.',
      { cause },
    );
  }
}

/**
 * Builds the response for one part of a list that is sorted newest first.
 * @param rows the rows of this part; one row more than `limit` means that there is another part
 */
export function toPaginatedResponse<Row extends { id: string; created_at: Date }, Item>(
  rows: Row[],
  limit: number,
  toItem: (row: Row) => Item,
) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit;
  return {
    data: page.map(toItem),
    cursor: hasMore && last ? encodeCursor({ createdAt: last.created_at, id: last.id }) : null,
    has_more: hasMore,
  };
}
