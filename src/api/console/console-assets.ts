import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CompressedBody, compressBody } from '../http/compressed-body.ts';

/** The sources of the console. Browsers get them file by file, without their types. */
const SOURCE_DIRECTORY = path.join(import.meta.dirname, '..', '..', 'console');
/** The packages that the console imports, by the names that it imports them under. */
const PACKAGES = [
  ...['preact', 'preact/hooks', '@preact/signals', '@preact/signals-core', 'htm', 'htm/preact', 'marked'],
];

/** A file that the console consists of. */
interface ConsoleAsset {
  type: 'js' | 'css' | 'svg';
  body: CompressedBody;
}

/** The files of the console. */
export interface ConsoleAssets {
  /** Changes with the files, so that browsers may keep them for good. */
  version: string;
  /** By the path below the URL of the version. */
  files: ReadonlyMap<string, ConsoleAsset>;
  /** The path of each package, by the name that modules import. */
  packages: Readonly<Record<string, string>>;
}

/** Reads the files of the console, and removes the types of its modules. */
export async function readConsoleAssets(): Promise<ConsoleAssets> {
  const sources = new Map<string, { type: ConsoleAsset['type']; content: string | Buffer }>();
  for (const name of globSync('**/*.{ts,css,svg}', { cwd: SOURCE_DIRECTORY }).sort()) {
    const source = readFileSync(path.join(SOURCE_DIRECTORY, name), 'utf8');
    const extension = path.extname(name).slice(1);
    sources.set(
      name,
      extension === 'ts'
        ? { type: 'js', content: withoutTypes(source) }
        : { type: extension as 'css' | 'svg', content: source },
    );
  }
  const packages: Record<string, string> = {};
  for (const name of PACKAGES) {
    const file = `packages/${name.replaceAll('/', '-')}.js`;
    packages[name] = file;
    sources.set(file, { type: 'js', content: readFileSync(fileURLToPath(import.meta.resolve(name))) });
  }
  const hash = createHash('sha256');
  const files = new Map<string, ConsoleAsset>();
  for (const [name, { type, content }] of sources) {
    hash.update(`${name}\0`).update(content);
    files.set(name, { type, body: await compressBody(content) });
  }
  return { version: hash.digest('hex').slice(0, 12), files, packages };
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
