import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommandContext, withConnection, withInstance } from '../../src/cli/connection.ts';
import { readConfig } from '../../src/config.ts';
import { type DataDirectoryLock, lockDataDirectory } from '../../src/run/embedded/supervision/run-file.ts';
import { TerminalProgress } from '../../src/run/embedded/terminal-progress.ts';

/** Commands beside an instance that was started with WINNOW_API_KEY and so has no file with a key. */

const url = 'http://127.0.0.1:1';
let dataDir: string;
let lock: DataDirectoryLock;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'winnow-connection-'));
  lock = lockDataDirectory(dataDir)!;
  lock.setUrls({ api: url });
});
afterEach(() => {
  lock.release();
  rmSync(dataDir, { recursive: true, force: true });
});

const contextWith = (apiKey: string | undefined): CommandContext => ({
  config: { ...readConfig(), dataDir, apiKey },
  progress: new TerminalProgress(),
  interrupt: { signal: new AbortController().signal, kill: new AbortController().signal },
});

describe('a command beside a service whose key is a setting', () => {
  it('says which setting it lacks, and makes no key', async () => {
    await expect(withConnection(contextWith(undefined), async (target) => target)).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      message: expect.stringContaining('Set WINNOW_API_KEY to that key'),
    });
    expect(existsSync(join(dataDir, 'api-key'))).toBe(false);
  });

  it('uses the same setting', async () => {
    const target = await withConnection(contextWith('fc-given'), async (connection) => connection);
    expect(target).toEqual({ url, apiKey: 'fc-given' });
  });

  it('needs no key for the database', async () => {
    expect(await withInstance(contextWith(undefined), async (instance) => instance)).toEqual({ url });
    expect(existsSync(join(dataDir, 'api-key'))).toBe(false);
  });
});
