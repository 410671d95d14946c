import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { overdueDeprecations } from '../src/api/http/deprecations.ts';
import { messageOf } from '../src/errors.ts';
import { readVersion } from '../src/system/version.ts';
import { packPackage } from './package.ts';

const HELP = `Makes a release: sets the version of the package, of the Helm chart and in the README, gives the entry Unreleased of
CHANGELOG.md its version and date, and writes the npm package, its bill of materials (CycloneDX) and their SHA-256 sums to dist/.
Commits and publishes nothing; it prints the commands for that.

Usage: node scripts/release.ts VERSION
`;
const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);

/**
 * Gives the entry `Unreleased` of the changelog its version and date, below a new, empty one.
 * @throws Error when nothing is unreleased, or the version has an entry
 */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  if (changelog.includes(`\n## ${version} (`)) throw new Error(`CHANGELOG.md has an entry for ${version}.`);
  const [, before, entry] = /^(.*?\n## Unreleased\n)(.*?)(?=\n## |$(?![\s\S]))/s.exec(changelog) ?? [];
  if (before === undefined || !entry?.trim())
    throw new Error('CHANGELOG.md names no changes under `## Unreleased`.');
  const rest = changelog.slice(before.length + entry.length);
  return `${before}\n## ${version} (${date})\n${entry}${rest}`;
}

/** Files beside package.json that name the version, and where they do. */
const NAMING = {
  'README.md': (version: string) => [`winnow-${version}.tgz`],
  'deploy/helm/Chart.yaml': (version: string) => [`\nversion: ${version}\n`, `appVersion: "${version}"`],
};

/**
 * Gives a text the new version where it names the old one.
 * @param naming the ways in which the text names a version
 * @throws Error when it does not name the old one in one of them
 */
export function renameVersion(
  text: string,
  { from, to, naming }: { from: string; to: string; naming: (version: string) => string[] },
): string {
  const names = naming(to);
  return naming(from).reduce((renamed, name, at) => {
    if (!renamed.includes(name)) throw new Error(`Nothing is named ${JSON.stringify(name)}.`);
    return renamed.replaceAll(name, names[at] ?? '');
  }, text);
}

/**
 * Checks that a version may follow the present one.
 * @throws Error that says why not
 */
export function checkVersion(version: string, present = readVersion()): void {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is not a version such as 1.0.0.`);
  if (version.localeCompare(present, 'en', { numeric: true }) <= 0)
    throw new Error(`${version} does not come after ${present}, the version of package.json.`);
  const overdue = overdueDeprecations(version);
  if (overdue.length)
    throw new Error(
      `These were announced to end before ${version}: ${overdue.join(', ')}. Remove them, or move their end in src/api/http/deprecations.ts.`,
    );
}

/**
 * Writes the package, its bill of materials and the sums of both.
 * @returns the paths of the files
 */
export async function makeArtifacts(directory: string): Promise<string[]> {
  await mkdir(directory, { recursive: true });
  const { path, version } = await packPackage(directory);
  const bill = join(directory, `winnow-${version}.cdx.json`);
  await writeFile(bill, await listMaterials());
  const sums = join(directory, `winnow-${version}.sha256`);
  const lines = [path, bill].map(async (file) => `${await sha256(file)}  ${basename(file)}\n`);
  await writeFile(sums, (await Promise.all(lines)).join(''));
  return [path, bill, sums];
}

/**
 * Lists the packages of the lock file in CycloneDX. npm names what they belong to by its directory. Its `--omit=dev` leaves out
 * packages of the product that a package for development needs, too, so those for development are removed before.
 */
async function listMaterials(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'winnow-release-'));
  try {
    const directory = join(parent, 'winnow');
    await mkdir(directory);
    const { devDependencies: _, ...described } = await readJson('package.json');
    const lock = await readJson('package-lock.json');
    for (const [path, { dev }] of Object.entries<{ dev?: true }>(lock.packages))
      if (dev) delete lock.packages[path];
    delete lock.packages[''].devDependencies;
    await writeFile(join(directory, 'package.json'), JSON.stringify(described));
    await writeFile(join(directory, 'package-lock.json'), JSON.stringify(lock));
    const words = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
    return (await run('npm', words, { cwd: directory, maxBuffer: 64 * 1024 ** 2 })).stdout;
  } finally {
    await rm(parent, { recursive: true });
  }
}

const readJson = async (name: string) => JSON.parse(await readFile(join(ROOT, name), 'utf8'));

const sha256 = async (path: string) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex');

async function release(version: string): Promise<void> {
  checkVersion(version);
  const { stdout: changed } = await run('git', ['status', '--porcelain'], { cwd: ROOT });
  if (changed.trim()) throw new Error(`Commit these changes first, or undo them:\n${changed}`);
  const file = join(ROOT, 'CHANGELOG.md');
  const date = new Date().toISOString().slice(0, 10);
  const changelog = releaseChangelog(await readFile(file, 'utf8'), version, date);
  const from = readVersion();
  const renamed = Object.entries(NAMING).map(async ([name, naming]) => {
    const text = await readFile(join(ROOT, name), 'utf8');
    return [join(ROOT, name), renameVersion(text, { from, to: version, naming })] as const;
  });
  const texts = await Promise.all(renamed);
  await run('npm', ['version', version, '--no-git-tag-version'], { cwd: ROOT });
  await writeFile(file, changelog);
  await Promise.all(texts.map(([name, text]) => writeFile(name, text)));
  const artifacts = await makeArtifacts(join(ROOT, 'dist'));
  process.stdout.write(
    `${artifacts.join('\n')}\n\nTo release it:\n\n` +
      `  node scripts/render-chart.ts   # needs helm; the tests compare its output with the chart\n` +
      `  git commit -am 'chore: release ${version}' && git tag -a v${version} -m ${version}\n` +
      `  git push --follow-tags\n  npm publish ${artifacts[0]}\n`,
  );
}

if (import.meta.main) {
  const [version, ...rest] = process.argv.slice(2);
  if (!version || rest.length || version.startsWith('-')) {
    process.stdout.write(HELP);
    process.exitCode = version === '--help' ? 0 : 2;
  } else {
    await release(version).catch((error: unknown) => {
      process.stderr.write(`${messageOf(error)}\n`);
      process.exitCode = 1;
    });
  }
}
