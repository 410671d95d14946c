import { readFileSync } from 'node:fs';
import type { Confinement } from '../../../src/system/sandbox/confinement.ts';
import { Sandbox } from '../../../src/system/sandbox/sandbox.ts';
import { CODE_PROGRAM } from './code-program.ts';

/**
 * A process that owns a sandbox whose task never ends. It prints the ids of all processes of the sandbox.
 */
const logger = { warn: () => undefined, debug: () => undefined };
// The test passes one.
const confinement = process.argv[2] as Confinement;
const sandbox = new Sandbox({ program: CODE_PROGRAM, processes: 1, logger }, confinement);
void sandbox.run(
  { header: 'for (;;);', parts: [] },
  {
    signal: new AbortController().signal,
    maxOutputBytes: 1000,
    owner: 'a',
    // The first report says that the task has begun, so all processes are there.
    onProgress: () => process.stdout.write(`${JSON.stringify(sandbox.pids.flatMap(treeOf))}\n`),
  },
);

/** Ids of a process and its descendants. */
function treeOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [pid, ...children.flatMap((child) => treeOf(Number(child)))];
}
