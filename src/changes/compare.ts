import { type Diff, diffOf, type Lines } from './diff.ts';
import { fingerprintOfLines } from './fingerprint.ts';
import { type JsonChanges, jsonChanges } from './json.ts';
import { stableLine } from './volatile.ts';

/** How a change is told beside that there is one. */
export type Mode = 'git-diff' | 'json';

/** What is kept of a page to compare the next scrape with. */
export interface Version {
  markdown: string;
  /** Its data, where the mode `json` was asked for. */
  json?: unknown;
}

/** Two versions of a page. */
export interface CompareTask {
  /** As `packVersion` made it; absent: there was no page. */
  before: Uint8Array | undefined;
  after: Version;
  modes: Mode[];
}

/** What became of the one in the other. */
export interface Comparison {
  isSame: boolean;
  diff?: Diff;
  json?: JsonChanges;
  /** What could not be done, for the user. */
  warnings: string[];
}

/** A version as the bytes that are kept. */
export const packVersion = (version: Version) => Buffer.from(JSON.stringify(version));

const COARSE =
  'The page changed so much that its diff is coarse: it may take away and put in more lines than it must.';
const TOO_LARGE = 'The page changed so much that its diff is left out. Compare the markdown of both scrapes.';
const NO_JSON =
  'changeTracking compared no json: the previous scrape had none. From now on there is one to compare with.';

/** Compares two versions of a page. Pure; heavy, so the service runs it in conversion threads. */
export function compare({ before, after, modes }: CompareTask): Comparison {
  // Written by `packVersion`.
  const past = before ? (JSON.parse(Buffer.from(before).toString()) as Version) : { markdown: '' };
  const [old, now] = [linesOf(past.markdown), linesOf(after.markdown)];
  const warnings: string[] = [];
  const isSame = fingerprintOfLines(old.stable).equals(fingerprintOfLines(now.stable));
  if (isSame) return { isSame, warnings };
  const found: Comparison = { isSame, warnings };
  if (modes.includes('git-diff')) {
    const { diff, isCoarse } = diffOf(old, now);
    if (diff) found.diff = diff;
    if (!diff) warnings.push(TOO_LARGE);
    else if (isCoarse) warnings.push(COARSE);
  }
  if (modes.includes('json') && after.json !== undefined) {
    if (past.json !== undefined) found.json = jsonChanges(past.json, after.json);
    else warnings.push(NO_JSON);
  }
  return found;
}

function linesOf(markdown: string): Lines {
  const shown = markdown === '' ? [] : markdown.split('\n');
  return { shown, stable: shown.map(stableLine) };
}
