import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_RESERVED_MB } from '../../../src/system/sandbox/limits.ts';
import type { SandboxedProgram } from '../../../src/system/sandbox/sandboxed-program.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The program that executes the code which it gets as tasks. */
export const CODE_PROGRAM: SandboxedProgram = {
  command: [realpathSync(process.execPath), join(import.meta.dirname, 'code-process.ts')],
  readOnlyPaths: [
    'package.json',
    'src/system/sandbox',
    'src/json/json-object.ts',
    'test/system/sandbox/code-process.ts',
  ].map((path) => join(ROOT, path)),
  env: { GREETING: 'hello' },
  limits: {
    memoryMb: 256,
    reservedMb: NODE_RESERVED_MB,
    cpuSeconds: 600,
    processes: 64,
    openFiles: 256,
    temporaryMb: 8,
    fileMb: 64,
  },
};
