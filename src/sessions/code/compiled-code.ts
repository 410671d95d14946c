import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { codeOf } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { type Confinement, startConfined } from '../../sandbox/confinement.ts';
import { giveToSession } from '../session-directory.ts';
import { compilationProgram, compiledCodeDirectory } from './languages.ts';

/** How the compiled code is prepared. */
export interface CompilationOptions {
  confinement: Confinement;
  cacheDir: string;
  logger: Pick<Logger, 'warn'>;
}

/** The directories that this process has prepared or tried to. */
const preparations = new Map<string, Promise<void>>();

/**
 * Stores V8's compiled code of the programs that execute code, which saves each of them about 0.1 s. This is done once on
 * a machine, while the first program runs without it. Code of users never runs where it is written. This never throws.
 */
export function prepareCompiledCode(options: CompilationOptions): Promise<void> {
  const directory = compiledCodeDirectory(options);
  const known = preparations.get(directory);
  const preparation =
    known ??
    (existsSync(directory) ? Promise.resolve() : compile(directory, options)).catch((error: unknown) => {
      options.logger.warn(
        { err: error },
        'the programs that execute code start slower: V8 cannot store them',
      );
    });
  preparations.set(directory, preparation);
  return preparation;
}

async function compile(directory: string, { confinement, ...options }: CompilationOptions): Promise<void> {
  if (confinement === 'user-only') return;
  await mkdir(options.cacheDir, { recursive: true });
  const draft = await mkdtemp(`${directory}.`);
  try {
    await giveToSession(draft);
    const program = compilationProgram(draft, { confinement, cacheDir: options.cacheDir });
    const { child, stderrTail } = await startConfined(program, confinement);
    child.stdin?.end();
    // Both are pipes that only have to be read.
    for (const stream of [child.stdout, child.stdio[3]] as Readable[]) stream.resume();
    const [exitCode] = await once(child, 'close');
    if (exitCode !== 0) throw new Error(stderrTail() || `it ended with ${exitCode}`);
    await rename(draft, directory);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process has prepared the same meanwhile.
    if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error;
  }
}
