import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createContent } from '../../src/html/content.ts';
import type { SetName } from './peers.ts';

/** A page of the kit and what is known about it. */
export interface KitPage {
  id: string;
  type: string;
  url: string;
  /** The annotated main content. */
  text: string;
  /** Snippets. */
  mustInclude: string[];
  mustExclude: string[];
  /** Where its HTML is, zipped. */
  file: string;
}

/** All pages of a set, in its order. */
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
    ...{ id, url, type: 'article', text: articleBody, file: fileOf(id) },
    ...{ mustInclude: [], mustExclude: [] },
  }));
}

/** A page as the service converts it with default options but for `excludeTags`, and the CPU milliseconds from its HTML to markdown. */
export async function convert(
  { url, file }: KitPage,
  excludeTags?: string[],
): Promise<{ markdown: string; cpuMs: number }> {
  const text = gunzipSync(await readFile(file)).toString();
  const start = process.cpuUsage();
  const markdown = markdownOf(url, text, excludeTags);
  const { user, system } = process.cpuUsage(start);
  return { markdown, cpuMs: (user + system) / 1000 };
}

/** The markdown of a page's HTML as the service makes it with default options but for `excludeTags`. */
export function markdownOf(url: string, text: string, excludeTags?: string[]): string {
  const snapshot = {
    ...{ sourceUrl: url, url, statusCode: 200, contentType: 'text/html; charset=utf-8', text },
    ...{ kind: 'html' as const, engine: 'http' as const, fetchedAt: 0, files: {}, proxy: 'basic' as const },
  };
  return createContent(snapshot, { onlyMainContent: true, removeBase64Images: true, excludeTags }).markdown;
}
