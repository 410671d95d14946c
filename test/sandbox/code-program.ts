import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_RESERVED_MB } from '../../src/sandbox/limits.ts';
import type { SandboxedProgram } from '../../src/sandbox/sandboxed-program.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** The program that executes the code which it gets as tasks. */
export const CODE_PROGRAM: SandboxedProgram = {
  command: [realpathSync(process.execPath), join(import.meta.dirname, 'code-process.ts')],
  readOnlyPaths: ['package.json', 'src/sandbox', 'src/json-object.ts', 'test/sandbox/code-process.ts'].map(
    (path) => join(ROOT, path),
  ),
  env: { GREETING: 'hello' },
  limits: {
    memoryMb: 256,
    reservedMb: NODE_RESERVED_MB,
    cpuSeconds: 600,
    processes: 64,
    openFiles: 256,
    temporaryMb: 8,
  },
};
