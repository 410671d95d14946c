import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createContent } from '../../src/content/html/content.ts';
import type { SetName } from './peers.ts';

/** An annotated page of the kit. */
export interface KitPage {
  id: string;
  type: string;
  url: string;
  /** The annotated main content. */
  text: string;
  /** Text snippets that must be in the result, and that must not. */
  mustInclude: string[];
  mustExclude: string[];
  /** Path of its gzipped HTML. */
  file: string;
}

/** Reads all pages of a set, in its order. */
export async function readPages(kit: string, set: SetName): Promise<KitPage[]> {
  const folder = path.join(kit, set === 'wcxb' ? 'wcxb-dev' : 'aeb');
  const fileOf = (id: string) => path.join(folder, 'html', `${id}.html.gz`);
  if (set === 'wcxb') {
    const lines = gunzipSync(await readFile(path.join(folder, 'ground-truth.jsonl.gz'))).toString();
    return lines
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .map((page) => ({ ...page, url: page.url ?? '', file: fileOf(page.id) }));
  }
  const truth: Record<string, { url?: string; articleBody?: string }> = JSON.parse(
    await readFile(path.join(folder, 'ground-truth.json'), 'utf8'),
  );
  return Object.entries(truth).map(([id, { url = '', articleBody = '' }]) => ({
    id,
    url,
    type: 'article',
    text: articleBody,
    file: fileOf(id),
    mustInclude: [],
    mustExclude: [],
  }));
}

export const readHtml = async ({ file }: KitPage): Promise<string> =>
  gunzipSync(await readFile(file)).toString();

/**
 * Converts a page as the service does with default options and `excludeTags`. Also returns the CPU
 * milliseconds from HTML to markdown.
 */
export async function convert(
  page: KitPage,
  excludeTags?: string[],
): Promise<{ markdown: string; cpuMs: number }> {
  const text = await readHtml(page);
  const start = process.cpuUsage();
  const markdown = markdownOf(page.url, text, excludeTags);
  const { user, system } = process.cpuUsage(start);
  return { markdown, cpuMs: (user + system) / 1000 };
}

/** The markdown that the service makes of a page's HTML with default options and `excludeTags`. */
export function markdownOf(url: string, text: string, excludeTags?: string[]): string {
  const snapshot = {
    sourceUrl: url,
    url,
    statusCode: 200,
    contentType: 'text/html; charset=utf-8',
    text,
    kind: 'html' as const,
    engine: 'http' as const,
    fetchedAt: 0,
    files: {},
    proxy: 'basic' as const,
  };
  return createContent(snapshot, { onlyMainContent: true, removeBase64Images: true, excludeTags }).markdown;
}
