import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { downloadTemporal, officialArchive } from '../../../src/run/embedded/temporal/temporal-download.ts';
import { startPages } from '../../support/sites/pages.ts';

const step = { detail: () => undefined };

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'winnow-test-download-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** An archive as the official one, whose program is a text. */
function makeArchive(program: string): Buffer {
  writeFileSync(join(directory, 'temporal'), program);
  return execFileSync('tar', ['-cz', '-C', directory, 'temporal']);
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function download(served: Buffer, expected: Buffer) {
  const target = join(directory, 'installed');
  await using site = await startPages({
    '/archive': (_request, response) => response.writeHead(200).end(served),
  });
  await downloadTemporal({ url: `${site.url}/archive`, sha256: hashOf(expected) }, target, step);
  return target;
}

describe('the download of Temporal', () => {
  it('unpacks the archive that was released', async () => {
    const archive = makeArchive('the released program');
    expect(readFileSync(await download(archive, archive), 'utf8')).toBe('the released program');
  });

  it('unpacks nothing of an archive that was replaced', async () => {
    const replaced = makeArchive('the program of somebody else');
    const released = makeArchive('the released program');
    await expect(download(replaced, released)).rejects.toThrow(
      `the file was replaced or damaged, because its SHA-256 is ${hashOf(replaced)} and not ${hashOf(released)}`,
    );
    expect(existsSync(join(directory, 'installed'))).toBe(false);
    expect(existsSync(join(directory, 'installed.d'))).toBe(false);
  });

  it('expects a hash that is in the source', () => {
    expect(officialArchive()).toEqual({
      url: expect.stringMatching(
        /^https:\/\/temporal\.download\/cli\/archive\/v\d+\.\d+\.\d+\?platform=\w+&arch=\w+$/,
      ),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });
});
