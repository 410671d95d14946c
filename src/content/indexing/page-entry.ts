import { createHash } from 'node:crypto';
import { normalizeTarget } from '../../url/url.ts';
import { splitWords } from '../answers/words.ts';
import { oneLine } from '../html/text.ts';
import { distinctWords, MAX_WORD_CHARACTERS } from './distinct-words.ts';
import { readIndexedText } from './indexed-text.ts';

/** A page as the index of `POST /v2/search` keeps it. */
export interface PageEntry {
  url: string;
  title: string;
  description: string;
  /** The text of the page, of which descriptions of results are parts. */
  content: string;
  /** Everything that the page can be found by, separated by spaces; see {@link LEXEMES}. */
  lexemes: string;
  /** When the page was fetched, in milliseconds since 1970. */
  fetchedAt: number;
}

/** Most characters of a title and of a description that are kept. */
const MAX_TITLE_CHARACTERS = 300;
const MAX_DESCRIPTION_CHARACTERS = 500;
/**
 * The kinds of lexemes. Words consist of letters and digits, so the other kinds, whose first character is
 * neither, cannot be mistaken for one.
 */
export const LEXEMES = {
  word: (word: string) => word,
  /** A word of the title or of the path of the URL. */
  title: (word: string) => `=${word}`,
  /** A host, or a domain that it belongs to. */
  site: (host: string) => `.${host}`,
  /** The type of a document, such as `pdf`. */
  document: (type: string) => `#${type}`,
  team: (teamId: string) => `@${teamId}`,
};

/** The facts about a page that its entry is made of. */
export interface EntrySource {
  url: string;
  fetchedAt: number;
  /** The type of the document if the page is one, such as `pdf`. */
  documentType: string | undefined;
  /** The fields of the document, by name. */
  fields: Record<string, unknown>;
  metadata: Record<string, string | string[]>;
}

/**
 * Makes the entry of a page from the formats that the user receives; without text among them, from its
 * metadata.
 */
export function makePageEntry({ url, fetchedAt, documentType, fields, metadata }: EntrySource): PageEntry {
  const title = textOf(metadata.title ?? metadata.ogTitle, MAX_TITLE_CHARACTERS);
  const description = textOf(metadata.description ?? metadata.ogDescription, MAX_DESCRIPTION_CHARACTERS);
  const text = readIndexedText(fields);
  const words = distinctWords(`${title}\n${description}\n${text.words}`);
  const titleWords = [...new Set(splitWords(`${title}\n${pathOf(url)}`))].filter(
    ({ length }) => length <= MAX_WORD_CHARACTERS,
  );
  const lexemes = [
    // Postgres refuses empty lexemes.
    ...(words ? [words] : []),
    ...titleWords.map(LEXEMES.title),
    ...domainsOf(url).map(LEXEMES.site),
    ...(documentType === undefined ? [] : [LEXEMES.document(documentType)]),
  ].join(' ');
  return { url, title, description, content: text.content.toWellFormed(), lexemes, fetchedAt };
}

const textOf = (value: string | string[] | undefined, most: number) =>
  oneLine(String(value ?? '')).slice(0, most);

function pathOf(url: string): string {
  const { pathname } = new URL(url);
  try {
    return decodeURIComponent(pathname);
  } catch (error) {
    if (error instanceof URIError) return pathname;
    throw error;
  }
}

/** The host of a URL and the domains above it: `docs.example.com`, `example.com`, `com`. */
function domainsOf(url: string): string[] {
  const labels = new URL(url).hostname.replace(/^www\./, '').split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/** The key of a page in the index of its team: equal for URLs of the same page. */
export const urlKeyOf = (url: string): Buffer =>
  createHash('sha256').update(normalizeTarget(url)).digest().subarray(0, 16);
