import { type Compilable, type CompiledQuery, type QueryResult, sql } from 'kysely';
import type { ClientBase } from 'pg';

const MARK = '/* prepared';

/**
 * Begins a statement that each connection prepares once, so that Postgres parses and plans it once instead of
 * each time. It is for long statements that run often, whose text is always the same: lists must be array
 * parameters.
 */
export const PREPARED = sql.raw(`${MARK} */`);

/**
 * Begins a statement about pages that is prepared like {@link PREPARED}, once for each size of their table. A
 * plan that was made while there were only a few pages reads all of them, and would do so when there are
 * many.
 * @param scale see {@link PAGES_SCALE}
 */
export const preparedAtScale = (scale: number) => sql.raw(`${MARK} at scale ${scale} */`);

/**
 * Runs a statement that was built with Kysely and is prepared like {@link PREPARED}.
 * @param query the connections or the transaction that it runs in
 * @returns its rows
 */
export async function runPrepared<Row>(
  query: { executeQuery<R>(compiled: CompiledQuery<R>): Promise<QueryResult<R>> },
  statement: Compilable<Row>,
): Promise<Row[]> {
  const compiled = statement.compile();
  return (await query.executeQuery<Row>({ ...compiled, sql: `${MARK} */ ${compiled.sql}` })).rows;
}

/** The size of the table of pages, as an integer that grows by one with each fourfold size. */
export const PAGES_SCALE = sql<number>`floor(log(4, greatest(1, pg_relation_size('pages') / 8192)))::int`;

/** The names of the prepared statements by their text. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? `statement_${names.size + 1}`;
  names.set(text, name);
  return name;
}

/** Makes a connection prepare the statements that begin with {@link PREPARED}. All others run as they did. */
export function prepareStatements(client: ClientBase): void {
  const { query } = client;
  Object.assign(client, {
    query(...parameters: unknown[]) {
      const [text, values] = parameters;
      const isPrepared = typeof text === 'string' && text.startsWith(MARK);
      return Reflect.apply(query, client, isPrepared ? [{ name: nameOf(text), text, values }] : parameters);
    },
  });
}
