import { type Content, createContent } from '../../../src/content/html/content.ts';
import type { CleanOptions, Snapshot } from '../../../src/content/snapshot.ts';

/** A page as an engine would hand it on. */
export function snapshotOf(text: string, changes: Partial<Snapshot> = {}): Snapshot {
  return {
    sourceUrl: 'https://site.test/dir/page',
    url: 'https://site.test/dir/page',
    statusCode: 200,
    contentType: 'text/html; charset=utf-8',
    kind: 'html',
    text,
    engine: 'http',
    fetchedAt: 0,
    files: {},
    proxy: 'basic',
    ...changes,
  };
}

/** The options of a request that gives none. */
export const DEFAULTS: CleanOptions = { onlyMainContent: true, removeBase64Images: true };

/** The content that formats are derived from, with default options unless others are given. */
export function contentOf(
  text: string,
  options: Partial<CleanOptions> = {},
  changes: Partial<Snapshot> = {},
): Content {
  return createContent(snapshotOf(text, changes), { ...DEFAULTS, ...options });
}
