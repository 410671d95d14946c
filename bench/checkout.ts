import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** The directory of the working tree. */
export const ROOT = path.join(import.meta.dirname, '..');
const run = promisify(execFile);

/** Runs git in the working tree. @returns what it prints */
export async function git(...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: ROOT })).stdout.trim();
}

/** Checks out a commit beside the working tree, with the packages that it needs. */
export async function checkOut(commit: string): Promise<{ directory: string; remove(): Promise<void> }> {
  const directory = path.join(mkdtempSync(path.join(tmpdir(), 'winnow-checkout-')), 'tree');
  await git('worktree', 'add', '--detach', directory, commit);
  const lockFile = (tree: string) => readFileSync(path.join(tree, 'package-lock.json'), 'utf8');
  if (lockFile(directory) === lockFile(ROOT))
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(directory, 'node_modules'));
  else await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: directory });
  return {
    directory,
    async remove() {
      await git('worktree', 'remove', '--force', directory);
      rmSync(path.dirname(directory), { recursive: true, force: true });
    },
  };
}
