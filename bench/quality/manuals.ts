import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** A text in markdown that site generators make a page of. */
export interface Manual {
  name: string;
  title: string;
  /** The text below the title. */
  body: string;
}

/** READMEs that are long, and that all generators read alike. */
const PACKAGES = [
  'ajv',
  'citty',
  'css-select',
  'dataloader',
  'diff',
  'express',
  'kysely',
  'mammoth',
  'micromark',
  'minisearch',
  'multer',
  'pino',
  'playwright',
  'turndown',
  'undici',
];
const NODE_MODULES = path.join(import.meta.dirname, '..', '..', 'node_modules');
const FILE_NAMES = ['README.md', 'readme.md', 'Readme.md'];

/** Reads the manuals, which are the READMEs of installed packages. */
export async function readManuals(): Promise<Manual[]> {
  return Promise.all(
    PACKAGES.map(async (name) => manualOf(name, await readFirst(path.join(NODE_MODULES, name)))),
  );
}

async function readFirst(folder: string): Promise<string> {
  const texts = await Promise.allSettled(FILE_NAMES.map((name) => readFile(path.join(folder, name), 'utf8')));
  const found = texts.find((text) => text.status === 'fulfilled');
  if (!found) throw new Error(`${folder} has no README.`);
  return found.value;
}

/**
 * Makes a manual of a README: without what generators read differently, which are HTML, images, templates in
 * double braces and further titles, and without what comes up to the first heading.
 */
export function manualOf(name: string, readme: string): Manual {
  const lines = outsideCode(readme.replaceAll('\r', ''), (text) =>
    text
      .replace(/<!--.*?-->|<\/?[a-z][\w-]*(?:\s[^<>]*)?>/gi, '')
      .replace(/\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])(?:\](?:\([^)]*\)|\[[^\]]*\]))?/g, '')
      .replace(/^#(?= )/, '##'),
  ).split('\n');
  const first = lines.findIndex((line) => /^## /.test(line));
  const body = lines
    .slice(first + 1)
    .join('\n')
    .replaceAll('{{', '{ {')
    .trim();
  return { name, title: `The manual of ${name}`, body };
}

/**
 * Changes the lines of markdown that are not in a block of code, and doubles the indentation of the parts of
 * lists, because Python's converter takes less than four spaces for none.
 */
function outsideCode(markdown: string, change: (line: string) => string): string {
  let fence: { mark: string; indent: string } | undefined;
  return markdown
    .split('\n')
    .map((line) => {
      const [, indent = '', mark = ''] = /^( *)(`{3,}|~{3,})?/.exec(line) ?? [];
      if (fence) {
        const widened = fence.indent + line;
        if (mark.startsWith(fence.mark)) fence = undefined;
        return widened;
      }
      if (mark) fence = { mark, indent };
      return indent + (mark || line.includes('`') ? line : change(line));
    })
    .join('\n');
}

/** Headings, such as `h4|Title`, with the levels that they have when each is one deeper than the section it is in. */
export function nestedHeadings(headings: readonly string[]): string[] {
  const open: number[] = [];
  return headings.map((heading) => {
    const level = Number(heading.charAt(1));
    while ((open.at(-1) ?? 0) >= level) open.pop();
    open.push(level);
    return `h${open.length}${heading.slice(2)}`;
  });
}

/** The languages of the blocks of code in markdown. */
export function languagesOf(markdown: string): string[] {
  const languages: string[] = [];
  let fence = '';
  for (const line of markdown.split('\n')) {
    const [, mark = '', language = ''] = /^[\s>]*(?:[-*]\s+)?(`{3,}|~{3,})\s*([\w+#-]*)/.exec(line) ?? [];
    if (!mark) continue;
    if (fence) {
      if (mark.startsWith(fence)) fence = '';
    } else {
      fence = mark;
      if (language) languages.push(language.toLowerCase());
    }
  }
  return languages;
}
