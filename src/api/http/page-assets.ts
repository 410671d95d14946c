import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Request, Response } from 'express';
import { type CompressedBody, compressBody, sendCompressed } from './compressed-body.ts';

/** The packages that pages for browsers may import, by the names that they import them under. */
const PREACT = ['preact', 'preact/hooks', '@preact/signals', '@preact/signals-core', 'htm', 'htm/preact'];

/** The colours of all pages, which each has as `colors.css`. */
export const COLORS_FILE = path.join(import.meta.dirname, 'colors.css');

const ONE_YEAR_S = 31_536_000;

/** A file that a page consists of. */
interface PageAsset {
  type: 'js' | 'css' | 'svg';
  body: CompressedBody;
}

/** The files of a page. */
export interface PageAssets {
  /** Changes with the files, so that browsers may keep them for good. */
  version: string;
  /** By the path below the URL of the version. */
  files: ReadonlyMap<string, PageAsset>;
  /** The path of each package, by the name that modules import. */
  packages: Readonly<Record<string, string>>;
  /** The files that each module imports before it runs. */
  imports: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads the sources of a page, which browsers get file by file, and removes the types of its modules.
 * @param directory where they are
 * @param packages what they import besides Preact
 */
export async function readPageAssets(
  directory: string,
  packages: readonly string[] = [],
): Promise<PageAssets> {
  const sources = new Map<string, { type: PageAsset['type']; content: string | Buffer }>();
  for (const name of globSync('**/*.{ts,css,svg}', { cwd: directory }).sort()) {
    const source = readFileSync(path.join(directory, name), 'utf8');
    const extension = path.extname(name).slice(1);
    sources.set(
      name,
      extension === 'ts'
        ? { type: 'js', content: withoutTypes(source) }
        : { type: extension as 'css' | 'svg', content: source },
    );
  }
  sources.set('colors.css', { type: 'css', content: readFileSync(COLORS_FILE) });
  const packageFiles: Record<string, string> = {};
  for (const name of [...PREACT, ...packages]) {
    const file = `packages/${name.replaceAll('/', '-')}.js`;
    packageFiles[name] = file;
    sources.set(file, { type: 'js', content: readFileSync(fileURLToPath(import.meta.resolve(name))) });
  }
  const hash = createHash('sha256');
  const files = new Map<string, PageAsset>();
  const imports = new Map<string, string[]>();
  for (const [name, { type, content }] of sources) {
    hash.update(`${name}\0`).update(content);
    files.set(name, { type, body: await compressBody(content) });
    const imported = [...String(content).matchAll(FROM)].map(
      ([, from = '']) => packageFiles[from] ?? path.posix.join(path.posix.dirname(name), from),
    );
    imports.set(
      name,
      imported.filter((each) => sources.has(each)),
    );
  }
  return { version: hash.digest('hex').slice(0, 12), files, packages: packageFiles, imports };
}

/** What a module imports before it runs, as it is written in sources and by minifiers. */
const FROM = /\bfrom\s*["']([^"'\n]+)["']/g;

/** Lists modules with all that they import, so that a browser can ask for all of them at once. */
export function modulesOf({ imports }: PageAssets, entries: readonly string[]): string[] {
  const found = new Set(entries);
  // A set hands out what is added to it meanwhile.
  for (const name of found) for (const imported of imports.get(name) ?? []) found.add(imported);
  return [...found];
}

/** Node warns once in a process that the function is new; the version of Node is part of the service. */
function withoutTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * The import map of a page (HTML, 8.1.5.3), and the source by which its content policy allows it.
 * @param base URL of the files of the page, absolute or beginning with a dot
 */
export function importMapOf({ packages }: PageAssets, base: string): { json: string; source: string } {
  const imports = Object.fromEntries(
    Object.entries(packages).map(([name, file]) => [name, `${base}/${file}`]),
  );
  const json = JSON.stringify({ imports });
  return { json, source: `'sha256-${createHash('sha256').update(json).digest('base64')}'` };
}

/** Sends a file of a page. Nodes of another version send theirs, which browsers do not keep. */
export function sendPageAsset(
  request: Request,
  response: Response,
  { asset, isCurrent }: { asset: PageAsset; isCurrent: boolean },
): void {
  response.set('Cache-Control', isCurrent ? `public, max-age=${ONE_YEAR_S}, immutable` : 'no-cache');
  sendCompressed(request, response.type(asset.type), asset.body);
}
