import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
/** What runs, below `program/`; the Dockerfile copies the same. */
const PROGRAM = [
  'package.json',
  'package-lock.json',
  'migrations',
  'src',
  'docs/guides',
  'docs/openapi.json',
];
/** What the package has beside the program: its entry point, and what registries show. */
const BESIDE = ['bin', 'README.md', 'CHANGELOG.md', 'LICENSE'];

/** A package as `npm pack` reports it. */
export interface PackedPackage {
  /** The path of the `.tgz` file. */
  path: string;
  version: string;
  /** Bytes of the file, and of what it unpacks to. */
  size: number;
  unpackedSize: number;
  files: { path: string; size: number }[];
}

/**
 * Makes the npm package. It has no dependencies: its entry point copies `program/` out of `node_modules` and installs there
 * what package-lock.json names (decision 0056).
 * @param directory where the `.tgz` file is written; it is created if it is missing
 */
export async function packPackage(directory: string): Promise<PackedPackage> {
  const staged = await mkdtemp(join(tmpdir(), 'winnow-package-'));
  try {
    for (const name of BESIDE) await cp(join(ROOT, name), join(staged, name), { recursive: true });
    const program = join(staged, 'program');
    for (const name of PROGRAM) await cp(join(ROOT, name), join(program, name), { recursive: true });
    await writeFile(join(staged, 'package.json'), await describePackage(program));
    return await runNpmPack(staged, resolve(directory));
  } finally {
    await rm(staged, { recursive: true });
  }
}

/** The package.json of the package: that of the checkout without what only a checkout needs. */
async function describePackage(program: string): Promise<string> {
  const source = JSON.parse(await readFile(join(program, 'package.json'), 'utf8'));
  const { name, version, description, license, type, bin, scarfSettings } = source;
  const engines = { node: '>=20' };
  const winnowBuild = await hashDirectory(program);
  const described = { name, version, description, license, type, engines, bin, scarfSettings, winnowBuild };
  return `${JSON.stringify(described, undefined, 2)}\n`;
}

/** Hashes the names and contents of all files below a directory. @returns 12 hexadecimal digits */
async function hashDirectory(directory: string): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) {
    const content = await readFile(file);
    hash.update(`${file.slice(directory.length)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 12);
}

async function runNpmPack(staged: string, directory: string): Promise<PackedPackage> {
  await mkdir(directory, { recursive: true });
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', directory], {
    cwd: staged,
    maxBuffer: 64 * 1024 ** 2,
  });
  // npm 11 prints a list, npm 12 an object by name; each holds the one package.
  const [packed] = Object.values(JSON.parse(stdout)) as (PackedPackage & { filename: string })[];
  if (!packed) throw new Error(`npm pack has reported no package: ${stdout}`);
  const { filename, version, size, unpackedSize, files } = packed;
  return { path: join(directory, filename), version, size, unpackedSize, files };
}

if (import.meta.main) {
  const { path, size, files } = await packPackage(process.argv[2] ?? 'dist');
  process.stdout.write(`${path}: ${files.length} files, ${(size / 1e6).toFixed(2)} MB\n`);
}
