import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkVersion, makeArtifacts, releaseChangelog, renameVersion } from '../../scripts/release.ts';
import { runCommand } from '../../src/run/embedded/command.ts';
import { readVersion } from '../../src/system/version.ts';

const ROOT = join(import.meta.dirname, '..', '..');

describe('a release', () => {
  test('gives the entry Unreleased its version and date, below a new one', () => {
    const before = '# Changelog\n\n## Unreleased\n\n- A change.\n\n## 0.1.0 (2026-01-01)\n\n- The first.\n';
    const after = releaseChangelog(before, '1.0.0', '2026-02-03');
    expect(after).toBe(
      '# Changelog\n\n## Unreleased\n\n## 1.0.0 (2026-02-03)\n\n- A change.\n\n## 0.1.0 (2026-01-01)\n\n- The first.\n',
    );
    expect(() => releaseChangelog(after, '1.1.0', '2026-02-04')).toThrow('names no changes');
    expect(() => releaseChangelog(before, '0.1.0', '2026-02-04')).toThrow('has an entry for 0.1.0');
    expect(releaseChangelog('# Changelog\n\n## Unreleased\n\n- A.\n', '1.0.0', '2026-02-03')).toContain(
      '## Unreleased\n\n## 1.0.0 (2026-02-03)\n\n- A.\n',
    );
  });

  test('has a version that comes after the present one', () => {
    checkVersion('1.10.0', '1.9.0');
    expect(() => checkVersion('1.9.0', '1.10.0')).toThrow('does not come after 1.10.0');
    expect(() => checkVersion('1.0', '0.1.0')).toThrow('is not a version');
  });

  test('renames the version where a file names it, and fails where it does not', () => {
    const naming = (version: string) => [`winnow-${version}.tgz`, `"${version}"`];
    const text = 'Install winnow-0.1.0.tgz, "0.1.0", not 0.1.0.';
    expect(renameVersion(text, { from: '0.1.0', to: '1.0.0', naming })).toBe(
      'Install winnow-1.0.0.tgz, "1.0.0", not 0.1.0.',
    );
    expect(() => renameVersion(text, { from: '0.2.0', to: '1.0.0', naming })).toThrow(
      'Nothing is named "winnow-0.2.0.tgz".',
    );
  });

  test('is a package with a bill of its materials and sums, which sha256sum confirms', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'winnow-release-test-'));
    try {
      const [, bill = '', sums = ''] = await makeArtifacts(directory);
      const { bomFormat, metadata, components } = JSON.parse(await readFile(bill, 'utf8'));
      expect(bomFormat).toBe('CycloneDX');
      expect(metadata.component).toMatchObject({
        name: 'winnow',
        version: readVersion(),
        type: 'application',
      });
      const names = components.map(({ name }: { name: string }) => name);
      const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
      expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
      expect(names).not.toContain('vitest');
      const confirmed = await runCommand('sha256sum', ['--check', sums], { cwd: directory });
      expect(confirmed.stdout.match(/: OK$/gm)).toHaveLength(2);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
