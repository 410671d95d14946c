import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { decodePage } from '../../src/content/parsers/charsets/decode-text.ts';
import { wholeText } from '../../src/content/source-text.ts';
import { table } from '../figures.ts';
import { markdownOf } from './kit.ts';

/** The Go module whose evaluation has the pages and their snippets, from the maintainers of the extractor trafilatura. */
const MODULE = 'github.com/markusmobius/go-trafilatura@v1.12.2';
/** Folders of the module with pages. */
const FOLDERS = ['comparison', 'mock', 'simple'].map((name) => path.join('test-files', name));
/** What the same evaluation prints of other extractors (`go run ./scripts/comparison content`, on the same pages). */
const PEERS = [
  { extractor: 'trafilatura, with fallbacks', precision: '.908', recall: '.912', F: '.910' },
  { extractor: 'trafilatura, for recall', precision: '.892', recall: '.918', F: '.905' },
  { extractor: 'Readability', precision: '.870', recall: '.881', F: '.875' },
  { extractor: 'DOM Distiller', precision: '.871', recall: '.864', F: '.867' },
];
/** A string in Go, whose escapes are those of JSON in this file. */
const STRING = /"(?:[^"\\]|\\.)*"/g;
const PAGE = /^\t"((?:[^"\\]|\\.)*)": \{\n([\s\S]*?)^\t\},/gm;

/** A page and short texts that its extracted text must and must not have. */
interface SnippetPage {
  url: string;
  file: string;
  wanted: string[];
  unwanted: string[];
}

/**
 * Counts the snippets of 983 annotated pages that are in the markdown, as trafilatura's own evaluation does. Downloads the pages with
 * the program `go`.
 * @param worst number of pages with the most missing snippets that are also listed
 */
export async function measureSnippets(worst: number): Promise<string> {
  const folder = await download();
  const pages = readSnippetPages(
    await readFile(path.join(folder, 'scripts', 'comparison', 'data.go'), 'utf8'),
  );
  const missing: { file: string; snippets: string[] }[] = [];
  let [found, lost, kept, left] = [0, 0, 0, 0];
  for (const { url, file, wanted, unwanted } of pages) {
    const place = FOLDERS.map((name) => path.join(folder, name, file)).find(existsSync);
    if (place === undefined) throw new Error(`${MODULE} has no file ${file}, which its list names.`);
    const text = plain(markdownOf(url, wholeText(decodePage(await readFile(place), 'text/html'))));
    const snippets = wanted.filter((snippet) => !text.includes(plain(snippet)));
    if (snippets.length > 0) missing.push({ file, snippets });
    const wrong = unwanted.filter((snippet) => text.includes(plain(snippet))).length;
    found += wanted.length - snippets.length;
    lost += snippets.length;
    kept += wrong;
    left += unwanted.length - wrong;
  }
  const precision = found / (found + kept);
  const recall = found / (found + lost);
  const ours = {
    extractor: 'Winnow',
    precision: precision.toFixed(3).slice(1),
    recall: recall.toFixed(3).slice(1),
    F: ((2 * precision * recall) / (precision + recall)).toFixed(3).slice(1),
  };
  const list = missing
    .toSorted((one, other) => other.snippets.length - one.snippets.length)
    .slice(0, worst)
    .map(({ file, snippets }) => `${file}: ${snippets.map((snippet) => JSON.stringify(snippet)).join(', ')}`);
  return [
    `${pages.length} pages, ${found + lost} wanted and ${kept + left} unwanted snippets\n`,
    table([ours, ...PEERS]),
    ...list,
  ].join('\n');
}

/** Reads the list of pages, which is a map in Go. */
export function readSnippetPages(source: string): SnippetPage[] {
  return [...source.matchAll(PAGE)].map(([, url = '', body = '']) => ({
    url: JSON.parse(`"${url}"`),
    file: stringsOf(body, 'File')[0] ?? '',
    wanted: stringsOf(body, 'With'),
    unwanted: stringsOf(body, 'Without'),
  }));
}

/** The strings of a member. */
function stringsOf(body: string, member: string): string[] {
  const line = body.split('\n').find((one) => one.trimStart().startsWith(`${member}:`)) ?? '';
  return (line.match(STRING) ?? []).map((text) => JSON.parse(text));
}

/** A text without blanks and the marks of markdown, which break snippets in other places than those of the evaluation. */
const plain = (text: string) =>
  text
    .normalize('NFC')
    .replace(/\]\((?:<[^>\n]*>|[^()\s]|\([^()\s]*\))*(?: "[^"\n]*")?\)/g, ']')
    .replace(/[\\*_[\]()#|>`~\s\u00a0\u200b\u00ad-]+/g, '');

/** Downloads the module. @returns its folder */
async function download(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-snippets-'));
  try {
    await writeFile(path.join(folder, 'go.mod'), 'module snippets\n');
    const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', MODULE], { cwd: folder });
    return JSON.parse(stdout).Dir;
  } finally {
    await rm(folder, { recursive: true });
  }
}
