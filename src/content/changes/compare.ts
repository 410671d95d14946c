import { type ComparedLines, createDiff, type Diff } from './diff.ts';
import { computeFingerprintOfLines } from './fingerprint.ts';
import { compareJson, type JsonChanges } from './json-diff.ts';
import { normalizeLine } from './normalize-line.ts';

/** How a change is reported in addition to its status. */
export type ChangeTrackingMode = 'git-diff' | 'json';

/** The content of a page that is kept for comparison with the next scrape. */
export interface PageContent {
  markdown: string;
  /** Extracted data, where the mode `json` was requested. */
  json?: unknown;
}

/** Two versions of a page to compare. */
export interface CompareTask {
  /** The previous version as `packVersion` made it; absent where there was no page. */
  before: Uint8Array | undefined;
  after: PageContent;
  modes: ChangeTrackingMode[];
}

/** The result of a comparison. */
export interface Comparison {
  isSame: boolean;
  diff?: Diff;
  json?: JsonChanges;
  /** Warnings for the user, as sentences: parts of the comparison that were not possible. */
  warnings: string[];
}

/** Serializes a version for storage. */
export const packVersion = (version: PageContent) => Buffer.from(JSON.stringify(version));

/** Reads a version that {@link packVersion} serialized. */
export const unpackVersion = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString()) as PageContent;

const COARSE_DIFF =
  'The page changed so much that its diff is coarse: it may remove and add more lines than necessary.';
const DIFF_TOO_LARGE =
  'The page changed so much that its diff is left out. Compare the markdown of both scrapes.';
const NO_PREVIOUS_JSON =
  'changeTracking compared no json: the previous scrape had none. From now on there is one to compare with.';

/** Compares two versions of a page. Pure and CPU-intensive, so the service runs it in rendering threads. */
export function compareVersions({ before, after, modes }: CompareTask): Comparison {
  const past = before ? unpackVersion(before) : { markdown: '' };
  const [old, now] = [splitLines(past.markdown), splitLines(after.markdown)];
  const warnings: string[] = [];
  const isSame = computeFingerprintOfLines(old.normalized).equals(computeFingerprintOfLines(now.normalized));
  if (isSame) return { isSame, warnings };
  const result: Comparison = { isSame, warnings };
  if (modes.includes('git-diff')) {
    const { diff, isCoarse } = createDiff(old, now);
    if (diff) result.diff = diff;
    if (!diff) warnings.push(DIFF_TOO_LARGE);
    else if (isCoarse) warnings.push(COARSE_DIFF);
  }
  if (modes.includes('json') && after.json !== undefined) {
    if (past.json !== undefined) result.json = compareJson(past.json, after.json);
    else warnings.push(NO_PREVIOUS_JSON);
  }
  return result;
}

function splitLines(markdown: string): ComparedLines {
  const original = markdown === '' ? [] : markdown.split('\n');
  return { original, normalized: original.map(normalizeLine) };
}
