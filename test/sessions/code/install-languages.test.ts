import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { installLanguages } from '../../../src/run/embedded/code-languages/install-languages.ts';
import type { Progress } from '../../../src/run/embedded/terminal-progress.ts';
import { agentBrowserFile, pythonPackagesDirectory } from '../../../src/sessions/code/language-files.ts';

/** The installation of languages on a machine that reaches neither registry. */

afterEach(() => {
  vi.unstubAllEnvs();
});

test('without the registries, the reason is noted and the start continues; the next attempt follows later', async () => {
  const cacheDir = await mkdtemp(join(tmpdir(), 'winnow-install-test-'));
  onTestFinished(() => rm(cacheDir, { recursive: true }));
  await chmod(cacheDir, 0o755);
  const unreachable = 'http://127.0.0.1:9/';
  for (const [name, value] of Object.entries({
    npm_config_registry: unreachable,
    npm_config_fetch_retries: '0',
    PIP_INDEX_URL: unreachable,
    PIP_RETRIES: '0',
  }))
    vi.stubEnv(name, value);
  const notes: string[] = [];
  const progress: Progress = {
    note: (text) => void notes.push(text),
    step: (_name, work) => work({ detail: () => undefined }),
    live: (_text, work) => work({ hide: () => undefined }),
  };

  await installLanguages({ cacheDir, progress });
  const expected = [
    agentBrowserFile(cacheDir) &&
      /^agent-browser could not be installed: npm could not download it[\s\S]*without bash code/,
    pythonPackagesDirectory(cacheDir) &&
      /^Playwright for Python could not be installed: [\s\S]*without Python code/,
  ].filter((each) => each instanceof RegExp);
  expect(notes).toHaveLength(expected.length);
  for (const pattern of expected)
    expect(notes.join('\n\n').split('\n\n')).toContainEqual(expect.stringMatching(pattern));
  // No draft is left.
  expect((await readdir(cacheDir)).every((name) => name.endsWith('.failed'))).toBe(true);

  await installLanguages({ cacheDir, progress });
  expect(notes).toHaveLength(expected.length);
  await installLanguages({ cacheDir, progress, insist: true });
  expect(notes).toHaveLength(2 * expected.length);
});
