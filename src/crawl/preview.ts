import { trimPath } from './path.ts';
import { readPaths } from './preview-paths.ts';
import { type CrawlParams, RULES } from './preview-rules.ts';

/** What a prompt says, as far as rules can tell. */
export interface CrawlPreview {
  /** The address, and only those options that the prompt speaks of. */
  params: CrawlParams;
  /** The words that were understood, in the prompt's own spelling. */
  understood: string[];
}

const MAX_PROMPT = 10_000;

/** A page of the site that is asked for cannot be reached from below the start path. */
function leavesStartPath(url: string, folders: readonly string[]): boolean {
  const start = trimPath(URL.parse(url)?.pathname ?? '');
  return folders.some((folder) => folder !== start && !folder.startsWith(`${start}/`));
}

/**
 * Makes crawl options from a description in English, by rules, without a model: paths and parts of the site, limits,
 * depth, hosts, sitemap, pauses, duplicates. What no rule knows is left out, so that nothing is guessed.
 */
export function previewParams(url: string, prompt: string): CrawlPreview {
  let rest = prompt.slice(0, MAX_PROMPT).replace(/[’‘]/g, "'").replace(/[“”]/g, '"');
  const params: CrawlParams = { url };
  const understood: string[] = [];
  for (const { key, phrase, mean } of RULES) {
    const match = key in params ? null : phrase.exec(rest);
    const meaning = match && mean(match);
    if (!match || !meaning) continue;
    Object.assign(params, meaning);
    understood.push(match[0].trim());
    // What is understood is gone, so that no other rule reads "without subdomains" as a path to leave out.
    // But of "20 blog posts" only the number is.
    const what = match.groups?.what ? `; only ${match.groups.what} pages ` : ' ; ';
    rest = rest.slice(0, match.index) + what + rest.slice(match.index + match[0].length);
  }
  const paths = readPaths(rest, URL.parse(url)?.host ?? '');
  if (paths.includePaths.length > 0) params.includePaths = paths.includePaths;
  if (paths.excludePaths.length > 0) params.excludePaths = paths.excludePaths;
  if (leavesStartPath(url, paths.folders)) params.crawlEntireDomain ??= true;
  return { params, understood: [...understood, ...paths.understood] };
}
