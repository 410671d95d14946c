import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package in `package-lock.json`. */
interface LockedPackage {
  version?: string;
  optionalDependencies?: Record<string, string>;
}

/** `package-lock.json` of version 3: packages by their install path. */
export interface LockFile {
  packages: Record<string, LockedPackage>;
}

/**
 * Optional packages whose publisher has not released them in the version that is asked for. docs/decisions/0001-dependencies.md
 * says what their platforms lack.
 */
const UNRELEASED = new Set([
  '@firecrawl/anydoc-darwin-arm64@0.1.9',
  '@firecrawl/anydoc-darwin-x64@0.1.9',
  '@firecrawl/anydoc-linux-arm64-gnu@0.1.9',
  '@firecrawl/anydoc-linux-arm64-musl@0.1.9',
  '@firecrawl/anydoc-win32-x64-msvc@0.1.9',
]);

const EXACT = /^\d+\.\d+\.\d+\S*$/;

/** The entry that a dependency of a package resolves to: below the package, or in the nearest directory above. */
function resolveFrom(asking: string, name: string, { packages }: LockFile): LockedPackage | undefined {
  for (let base = asking; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const found = packages[`${base ? `${base}/` : ''}node_modules/${name}`];
    if (found || !base) return found;
  }
}

/**
 * Finds optional packages that a lock file lacks. npm drops those of other platforms when it rewrites the lock file while
 * `node_modules` is installed; `npm ci` then omits them on the platforms that need them, without a warning.
 * @param unreleased packages, as `name@version`, that do not exist
 * @returns a sentence for each that is missing, and for each that has an entry although it should not exist
 */
export function missingOptional(lock: LockFile, unreleased: ReadonlySet<string> = UNRELEASED): string[] {
  return Object.entries(lock.packages).flatMap(([asking, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies).flatMap(([name, range]) => {
      const found = resolveFrom(asking, name, lock);
      if (unreleased.has(`${name}@${range}`))
        return found ? [`${name}@${range} has been released; remove it from scripts/lock-file.ts.`] : [];
      if (!found) return [`${asking} may need ${name}@${range}, which has no entry.`];
      if (EXACT.test(range) && found.version !== range)
        return [`${asking} may need ${name}@${range}, but the entry is ${found.version}.`];
      return [];
    }),
  );
}

if (import.meta.main) {
  // npm wrote the file in this shape.
  const lock = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8'),
  ) as LockFile;
  const faults = missingOptional(lock);
  for (const fault of faults) process.stderr.write(`package-lock.json: ${fault}\n`);
  if (faults.length) {
    process.stderr.write('Remove node_modules and run `npm install` with the last complete lock file.\n');
    process.exitCode = 1;
  }
}
