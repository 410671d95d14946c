import { trimPath } from '../url-path.ts';
import { parsePaths } from './prompt-paths.ts';
import { type CrawlParams, RULES } from './prompt-rules.ts';

/** The crawl options that rules found in a prompt. */
export interface ParsedPrompt {
  /** The URL and only those options that the prompt mentions. */
  params: CrawlParams;
  /** The words of the prompt that were understood, as written. */
  understood: string[];
}

const MAX_PROMPT_CHARACTERS = 10_000;

/** Whether the prompt requests a folder outside of the start path. */
function leavesStartPath(url: string, folders: readonly string[]): boolean {
  const start = trimPath(URL.parse(url)?.pathname ?? '');
  return folders.some((folder) => folder !== start && !folder.startsWith(`${start}/`));
}

/**
 * Converts a description in English to crawl options, by rules and without a language model. The rules cover
 * paths and sections of the site, limits, depth, hosts, sitemaps, pauses and duplicates. Text that no rule
 * matches is ignored, so that nothing is guessed.
 */
export function parseCrawlPrompt(url: string, prompt: string): ParsedPrompt {
  let rest = prompt
    .slice(0, MAX_PROMPT_CHARACTERS)
    .replace(/[’‘]/g, "'")
    .replace(/[“”]/g, '"')
    // The rules take quadratic time for a long run of blanks.
    .replace(/\s+/g, (blanks) => (blanks.includes('\n') ? '\n' : ' '));
  const params: CrawlParams = { url };
  const understood: string[] = [];
  for (const { key, phrase, toOptions } of RULES) {
    const match = key in params ? null : phrase.exec(rest);
    const options = match && toOptions(match);
    if (!match || !options) continue;
    Object.assign(params, options);
    understood.push(match[0].trim());
    // Remove the matched words, so that no other rule reads "without subdomains" as a path to exclude. From
    // "20 blog posts" only the number is removed, because the section is still needed.
    const replacement = match.groups?.pageKind ? `; only ${match.groups.pageKind} pages ` : ' ; ';
    rest = rest.slice(0, match.index) + replacement + rest.slice(match.index + match[0].length);
  }
  const paths = parsePaths(rest, URL.parse(url)?.host ?? '');
  if (paths.includePaths.length > 0) params.includePaths = paths.includePaths;
  if (paths.excludePaths.length > 0) params.excludePaths = paths.excludePaths;
  if (leavesStartPath(url, paths.folders)) params.crawlEntireDomain ??= true;
  return { params, understood: [...understood, ...paths.understood] };
}
