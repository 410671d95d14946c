import { existsSync } from 'node:fs';
import type { Logger } from '../../system/logger.ts';
import { storeCompiledCode } from '../../system/sandbox/compiled-code.ts';
import type { Confinement } from '../../system/sandbox/confinement.ts';
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
 * Stores V8's compiled code of the programs that execute code, which saves each of them about 0.1 s. This is
 * done once on a machine, while the first program runs without it. Code of users never runs where it is
 * written. This never throws.
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

async function compile(directory: string, { confinement, cacheDir }: CompilationOptions): Promise<void> {
  if (confinement === 'user-only') return;
  const program = (draft: string) => compilationProgram(draft, { confinement, cacheDir });
  await storeCompiledCode({ directory, program, confinement });
}
