import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package in `package-lock.json`. */
interface LockedPackage {
  version?: string;
  /** The hash that npm compares a download with. */
  integrity?: string;
  /** Whether it is a directory of this repository. */
  link?: boolean;
  optionalDependencies?: Record<string, string>;
}

/** `package-lock.json` of version 3: packages by their install path. */
export interface LockFile {
  packages: Record<string, LockedPackage>;
}

/**
 * The member `overrides` of `package.json`: by package, the versions of its dependencies that replace those
 * it asks for.
 */
export type Overrides = Record<string, Record<string, string>>;

const EXACT = /^\d+\.\d+\.\d+\S*$/;

/**
 * The entry that a dependency of a package resolves to: below the package, or in the nearest directory above.
 */
function resolveFrom(asking: string, name: string, { packages }: LockFile): LockedPackage | undefined {
  for (let base = asking; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const found = packages[`${base ? `${base}/` : ''}node_modules/${name}`];
    if (found || !base) return found;
  }
}

/**
 * Finds optional packages that a lock file lacks. npm drops those of other platforms when it rewrites the
 * lock file while `node_modules` is installed; `npm ci` then omits them on the platforms that need them,
 * without a warning.
 * @returns a sentence for each
 */
export function missingOptional(lock: LockFile, overrides: Overrides = {}): string[] {
  return Object.entries(lock.packages).flatMap(([asking, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies).flatMap(([name, asked]) => {
      const range = overrides[asking.split('node_modules/').at(-1) ?? '']?.[name] ?? asked;
      const found = resolveFrom(asking, name, lock);
      if (!found) return [`${asking} may need ${name}@${range}, which has no entry.`];
      if (EXACT.test(range) && found.version !== range)
        return [`${asking} may need ${name}@${range}, but the entry is ${found.version}.`];
      return [];
    }),
  );
}

/**
 * Finds packages that npm would install without comparing a hash: it omits the hashes of other platforms when
 * it adds their entries without downloading them.
 * @returns a sentence for each
 */
export function withoutIntegrity({ packages }: LockFile): string[] {
  return Object.entries(packages)
    .filter(([path, { integrity, link }]) => path && !link && !integrity?.startsWith('sha512-'))
    .map(
      ([path, { version }]) =>
        `${path} has no integrity; \`npm view ${path.split('node_modules/').at(-1)}@${version} dist.integrity\` prints it.`,
    );
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  // npm reads and writes the files in these shapes.
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as LockFile;
  const { overrides } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    overrides?: Overrides;
  };
  const missing = missingOptional(lock, overrides);
  const faults = [...missing, ...withoutIntegrity(lock)];
  for (const fault of faults) process.stderr.write(`package-lock.json: ${fault}\n`);
  if (missing.length)
    process.stderr.write('Remove node_modules and run `npm install` with the last complete lock file.\n');
  if (faults.length) process.exitCode = 1;
}
