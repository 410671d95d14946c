import { once } from 'node:events';
import { chown, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../../errors.ts';
import { type Confinement, SANDBOX_UID, startConfined } from './confinement.ts';
import type { SandboxedProgram } from './sandboxed-program.ts';

/** A program to compile, and the directory for V8's compiled code. */
interface Compilation {
  /** It must not exist, and its name should change with the code. */
  directory: string;
  /**
   * The program that only loads its modules and ends. It may write to the given directory, its compile cache.
   */
  program: (writable: string) => SandboxedProgram;
  confinement: Confinement;
}

/**
 * Stores V8's compiled code of a program, with which it starts faster. It is written by a process that reads
 * nothing of strangers, and must be read-only for the others: otherwise one of them could change the code of
 * the next one.
 * @throws Error if the program fails, or the confinement cannot make files read-only
 */
export async function storeCompiledCode({ directory, program, confinement }: Compilation): Promise<void> {
  if (confinement === 'user-only')
    throw new Error('compiled code needs bubblewrap, which makes it read-only');
  await mkdir(dirname(directory), { recursive: true });
  const draft = await mkdtemp(`${directory}.`);
  try {
    const { uid = SANDBOX_UID, ...rest } = program(draft);
    if (process.getuid?.() === 0) await chown(draft, uid, uid);
    const { child, stderrTail } = await startConfined({ ...rest, uid }, confinement);
    child.stdin?.end();
    for (const stream of child.stdio.slice(1)) if (stream && 'resume' in stream) stream.resume();
    const [exitCode] = await once(child, 'close');
    if (exitCode !== 0) throw new Error(stderrTail() || `it ended with ${exitCode}`);
    await rename(draft, directory);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process has stored the same meanwhile.
    if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error;
  }
}
