import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What `package-lock.json` says of one package. */
interface LockedPackage {
  version?: string;
  optionalDependencies?: Record<string, string>;
}

/** `package-lock.json` of version 3: packages by the path that they are installed at. */
export interface LockFile {
  packages: Record<string, LockedPackage>;
}

const EXACT = /^\d+\.\d+\.\d+\S*$/;

/** The entry that a package gets when it asks for another one: its own, or that of the nearest directory above. */
function resolveFrom(asking: string, name: string, { packages }: LockFile): LockedPackage | undefined {
  for (let base = asking; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const found = packages[`${base ? `${base}/` : ''}node_modules/${name}`];
    if (found || !base) return found;
  }
}

/**
 * Optional packages that a lock file lacks. npm drops those of other platforms when the lock file is rewritten beside
 * an installed `node_modules`; `npm ci` then leaves them out on the platforms that need them, without a word.
 * @returns a sentence for each
 */
export function missingOptional(lock: LockFile): string[] {
  return Object.entries(lock.packages).flatMap(([asking, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies).flatMap(([name, range]) => {
      const found = resolveFrom(asking, name, lock);
      if (!found) return [`${asking} may need ${name}@${range}, which has no entry.`];
      if (EXACT.test(range) && found.version !== range)
        return [`${asking} may need ${name}@${range}, but the entry is ${found.version}.`];
      return [];
    }),
  );
}

if (import.meta.main) {
  // Written by npm.
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
