import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { LEXEMES, type PageEntry, urlKeyOf } from '../../../content/indexing/page-entry.ts';
import type { QueryTerm, WeighedTerm } from '../../../content/indexing/query-terms.ts';
import { arrayParameter, type Database, type Queryable, UNSYNCED_COMMIT } from '../client.ts';
import { PREPARED } from '../prepared-statements.ts';

/** The columns of an entry that are made of the page. */
const PAGE_COLUMNS = ['url', 'title', 'description', 'content', 'words', 'content_key'].map(sql.ref);

/**
 * Whether an entry only gets its new date, which leaves all indexes as they are: its text has not changed, or
 * the new document has none, such as one that consists of links.
 */
const KEEPS_TEXT = sql`(page.content_key = excluded.content_key or excluded.content = '' and page.content <> '')`;

/** Pages of one statement at most, which is prepared for each number of pages. */
const MAX_ROWS = 8;

/**
 * Adds a page to the index of a team like {@link addIndexedPages}, without waiting for the disk: searches
 * find it at once, but a crash of Postgres may take it.
 */
export const addIndexedPage = ({ query }: Database, teamId: string, entry: PageEntry): Promise<void> =>
  addRows(query, teamId, [[urlKeyOf(entry.url).toString('hex'), entry]], sql`returning ${UNSYNCED_COMMIT}`);

/**
 * Adds pages to the index of a team, or replaces their entries if they are newer. Of documents that were made
 * of the same copy of a page in the cache, the one with the longest text counts.
 */
export async function addIndexedPages(
  query: Queryable,
  teamId: string,
  entries: readonly PageEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  // Each URL once, and always in the same order, so that transactions that store the same pages do not
  // deadlock.
  const rows = [...new Map(entries.map((entry) => [urlKeyOf(entry.url).toString('hex'), entry]))].sort(
    ([one], [other]) => (one < other ? -1 : 1),
  );
  for (let at = 0; at < rows.length; at += MAX_ROWS)
    await addRows(query, teamId, rows.slice(at, at + MAX_ROWS));
}

/** @param rows the entries with the keys of their URLs in hex. @param ending the end of the statement */
async function addRows(
  query: Queryable,
  teamId: string,
  rows: readonly (readonly [string, PageEntry])[],
  ending = sql``,
): Promise<void> {
  // One parameter for each value, because arrays of long texts take both sides longer to write and to read.
  const values = rows.map(([key, entry]) => {
    const { url, title, description, content, lexemes, fetchedAt } = entry;
    const words = `${LEXEMES.team(teamId)} ${lexemes}`;
    return sql`(${teamId}::uuid, ${Buffer.from(key, 'hex')}::bytea, ${url}, ${title}, ${description}, ${content},
      ${contentKeyOf(entry)}::bytea, array_to_tsvector(string_to_array(${words}, ' ')),
      ${new Date(fetchedAt)}::timestamptz)`;
  });
  await sql`${PREPARED}
    insert into indexed_pages as page
      (team_id, url_key, url, title, description, content, content_key, words, fetched_at)
    values ${sql.join(values)}
    on conflict (team_id, url_key) do update set
      fetched_at = excluded.fetched_at,
      ${sql.join(
        PAGE_COLUMNS.map(
          (column) =>
            sql`${column} = case when ${KEEPS_TEXT} then page.${column} else excluded.${column} end`,
        ),
      )}
    where page.fetched_at < excluded.fetched_at or (
      page.fetched_at = excluded.fetched_at and octet_length(page.content) < octet_length(excluded.content))
    ${ending}`.execute(query);
}

const contentKeyOf = ({ url, title, description, content }: PageEntry) =>
  hash('sha256', [url, title, description, content].join('\0'), 'buffer').subarray(0, 16);

/** A query to the index of a team. */
export interface IndexQuery {
  teamId: string;
  terms: readonly QueryTerm[];
  /** Hosts, with all hosts below them; empty: any. */
  includeDomains: readonly string[];
  excludeDomains: readonly string[];
  /** Hosts of which pages must be, unless they are PDF files and those count too; absent: any page. */
  anyOf: { sites: readonly string[]; pdf: boolean } | undefined;
}

/** A page that has words of a query. */
interface IndexedPage extends Pick<PageEntry, 'url' | 'title' | 'description' | 'content'> {
  fetchedAt: Date;
  /** The weights of the words that the page has; those in the title or the URL count once more in part. */
  score: number;
}

/**
 * How many pages are read for each word, which is what a search takes its time for. A word that more pages
 * have says little, so it does not matter which they are.
 */
const PAGES_PER_TERM = 300;
/**
 * Words that are looked for in titles at least, the rarest first; most titles do not have even the common
 * ones.
 */
const LEAST_TITLE_WORDS = 3;
/** How much more a word counts that is in the title or the URL. */
const TITLE_WEIGHT = 0.8;
/**
 * The least number of pages that the rarity of a word is related to, so that words differ in small indexes
 * too.
 */
const LEAST_PAGES = 1_000;

/**
 * Finds the pages with the rarest and the most words of a query.
 * @param most pages to find
 * @returns the pages, and the words of the query with their weights in this index; none for a query without
 * words
 */
export async function findIndexedPages(db: Database, query: IndexQuery, most: number): Promise<FoundPages> {
  const { terms } = query;
  if (terms.length === 0) return { pages: [], terms: [] };
  const statistics = await readStatistics(db, terms);
  const lookups = chooseLookups(statistics);
  const found = await lookUp(db, query, { ...statistics, lookups, most });
  if (found.pages.length || lookups.anywhere.length === terms.length) return found;
  // No page has a rare word, so the common ones are all that is left.
  const all = terms.map((_, index) => index);
  return lookUp(db, query, { ...statistics, lookups: { anywhere: all, inTitle: all }, most });
}

/** Pages with words of a query, and the words with their weights. */
interface FoundPages {
  pages: IndexedPage[];
  terms: WeighedTerm[];
}

/** Finds the pages that have one of the words by which they are looked up. */
async function lookUp(
  db: Database,
  { teamId, terms, includeDomains, excludeDomains, anyOf: either }: IndexQuery,
  { shares, total, lookups, most }: Statistics & { lookups: Lookups; most: number },
): Promise<FoundPages> {
  const filter = [
    quoted(LEXEMES.team(teamId)),
    ...(includeDomains.length ? [anyOf(includeDomains.map(LEXEMES.site))] : []),
    ...(either
      ? [anyOf([...either.sites.map(LEXEMES.site), ...(either.pdf ? [LEXEMES.document('pdf')] : [])])]
      : []),
    ...excludeDomains.map((host) => `!${quoted(LEXEMES.site(host))}`),
  ].join(' & ');
  const anywhere = terms.map(({ forms }) => anyOf(forms.map(LEXEMES.word)));
  const inTitle = terms.map(({ forms }) => anyOf(forms.map(LEXEMES.title)));
  const queries = [
    ...lookups.anywhere.map((index) => ({
      words: anywhere[index]!,
      weight: 1,
      index,
      estimate: shares[index]! * total,
    })),
    ...lookups.inTitle.map((index) => ({
      words: inTitle[index]!,
      weight: TITLE_WEIGHT,
      index: null,
      estimate: 0,
    })),
    ...(terms.length > 1
      ? [
          { words: anywhere.join(' & '), weight: 1, index: null, estimate: 0 },
          { words: inTitle.join(' & '), weight: TITLE_WEIGHT, index: null, estimate: 0 },
        ]
      : []),
  ];
  const { rows } = await sql<IndexedPage & { counts: Record<string, number> }>`
    with term as materialized (
      select number, query::tsquery, weight, estimate
      from unnest(
        ${arrayParameter(
          queries.map(({ words }) => `${filter} & (${words})`),
          'text',
        )},
        ${arrayParameter(
          queries.map(({ weight }) => weight),
          'float8',
        )},
        ${arrayParameter(
          queries.map(({ estimate }) => estimate),
          'float8',
        )}
      ) with ordinality as given (query, weight, estimate, number)
    ), found as materialized (
      select number, weight, page.id, greatest(estimate, count(*) over (partition by number)) as pages
      from term cross join lateral (
        select id from indexed_pages where words @@ term.query limit ${sql.lit(PAGES_PER_TERM)}
      ) as page
    ), best as (
      select id, sum(weight * ln(1 + ${total}::float8 / pages)) as score
      from found group by id order by score desc, id desc limit ${most}
    )
    select url, title, description, content, fetched_at as "fetchedAt", score,
      (select jsonb_object_agg(number, pages) from (select distinct number, pages from found) as counted) as counts
    from best join indexed_pages using (id)
    where team_id = ${teamId} order by score desc, id desc`.execute(db.query);
  const counts = rows[0]?.counts ?? {};
  const weighed = terms.map((term, index) => {
    const number = queries.findIndex((query) => query.index === index) + 1;
    // A word that no page has cannot tell pages apart.
    const pages = number > 0 ? (counts[number] ?? total) : shares[index]! * total;
    return { ...term, weight: Math.log(1 + total / pages), isInScore: number > 0 };
  });
  return { pages: rows, terms: weighed };
}

/** How common the words of a query are in the whole index, as Postgres estimates it. */
interface Statistics {
  /** The number of pages; 0 if it is not known. */
  pages: number;
  /** The number of pages that the rarity of a word is related to. */
  total: number;
  /** The share of the pages that has each word; 0 for a word that is not among the most common ones. */
  shares: number[];
}

async function readStatistics(db: Database, terms: readonly QueryTerm[]): Promise<Statistics> {
  const lexemes = terms.flatMap(({ forms }) => forms.map(LEXEMES.word));
  const { rows } = await sql<{ pages: number; shares: Record<string, number> | null }>`
    select greatest(reltuples, 0)::float8 as pages, (
      select jsonb_object_agg(lexeme, share)
      from pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) as common (lexeme, share)
      where schemaname = relnamespace::regnamespace::text and tablename = relname and attname = 'words'
        and lexeme = any(${arrayParameter(lexemes, 'text')})
    ) as shares
    from pg_class where oid = 'indexed_pages'::regclass`.execute(db.query);
  const { pages = 0, shares } = rows[0] ?? {};
  const shareOf = (form: string) => shares?.[LEXEMES.word(form)] ?? 0;
  return {
    pages,
    total: Math.max(pages, LEAST_PAGES),
    shares: terms.map(({ forms }) => Math.min(1, sumOf(forms.map(shareOf)))),
  };
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);

/** The indices of the words that pages are looked up by. */
type Lookups = Record<'anywhere' | 'inTitle', number[]>;

/**
 * Chooses the words that pages are looked up by: all rare ones, or else the rarest. A common word takes as
 * long as many rare ones, so those beside rare ones are only looked for in the pages found.
 */
function chooseLookups({ shares, pages }: Statistics): Lookups {
  const byShare = shares.map((_, index) => index).sort((one, other) => shares[one]! - shares[other]!);
  const { length: rare } = byShare.filter((index) => shares[index]! * pages <= PAGES_PER_TERM);
  return {
    anywhere: byShare.slice(0, Math.max(1, rare)),
    inTitle: byShare.slice(0, Math.max(LEAST_TITLE_WORDS, rare)),
  };
}

/**
 * Lexemes consist of letters, digits and the characters of host names and ids, none of which ends a
 * quotation.
 */
const quoted = (lexeme: string) => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
const anyOf = (lexemes: readonly string[]) => `(${lexemes.map(quoted).join(' | ')})`;

/**
 * Enough that the table is read a few times only, however many pages are deleted; few enough for a statement
 * of a second.
 */
const DELETED_AT_ONCE = 20_000;

/**
 * Deletes the pages that were fetched before a time, or that exceed the maximum number of pages, the oldest
 * first. Those that are added meanwhile may be left, so that it ends while others add pages.
 * @returns the number of deleted pages
 */
export async function deleteOldIndexedPages(db: Database, before: Date, maxPages: number): Promise<number> {
  for (let all = 0; ; ) {
    const deleted = await deleteOldest(db, before, maxPages);
    all += deleted;
    if (deleted < DELETED_AT_ONCE) return all;
  }
}

/**
 * Deletes up to 20,000 such pages. This reads the whole table, because an index of dates would have to be
 * updated with each page that is scraped again.
 */
async function deleteOldest(db: Database, before: Date, maxPages: number): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with excess as (
      select greatest(0, count(*) - ${maxPages}::bigint) as pages from indexed_pages
    ), old as (
      (select id from indexed_pages where fetched_at < ${before} order by fetched_at limit ${sql.lit(DELETED_AT_ONCE)})
      union
      (select id from indexed_pages order by fetched_at
        limit (select least(pages, ${sql.lit(DELETED_AT_ONCE)}) from excess))
    ), deleted as (
      delete from indexed_pages using old where indexed_pages.id = old.id returning 1
    )
    select count(*)::int as deleted from deleted`.execute(db.query);
  return rows[0]?.deleted ?? 0;
}
