import { onTestFinished } from 'vitest';
import { findConfinement } from '../../../src/system/sandbox/confinement.ts';
import { openSandbox, Sandbox, type SandboxOptions } from '../../../src/system/sandbox/sandbox.ts';
import { CODE_PROGRAM } from './code-program.ts';

const found = await findConfinement(CODE_PROGRAM);

/** Why bubblewrap does not work on this machine; `undefined` if it does. */
export const noBubblewrap = found.reason;

interface RunOptions {
  signal?: AbortSignal;
  maxOutputBytes?: number;
  parts?: Uint8Array[];
  owner?: string;
  tenant?: string;
  onProgress?: (progress: unknown) => void;
}

/** A sandbox that executes code, for the time of a test. */
interface CodeSandbox {
  sandbox: Sandbox;
  /** What was logged as warnings. */
  warnings: unknown[];
  /** Executes the body of an asynchronous function. @returns what the code returns */
  run(code: string, options?: RunOptions): Promise<unknown>;
}

/**
 * Opens a sandbox for the time of a test.
 * @param options.confinement the confinement of the usual program; for another one it is found by trying
 */
export async function openCodeSandbox({
  confinement,
  ...changes
}: Partial<SandboxOptions> & Partial<Pick<typeof found, 'confinement'>> = {}): Promise<CodeSandbox> {
  const warnings: unknown[] = [];
  const logger = { warn: (details: unknown) => void warnings.push(details), debug: () => undefined };
  const options = { program: CODE_PROGRAM, processes: 2, logger, ...changes };
  const sandbox = changes.program
    ? await openSandbox(options)
    : new Sandbox(options, confinement ?? found.confinement);
  onTestFinished(() => sandbox.close());
  return {
    sandbox,
    warnings,
    async run(
      code,
      {
        signal = AbortSignal.timeout(150_000),
        maxOutputBytes = 1_000_000,
        parts = [],
        owner = 'a',
        tenant = owner,
        onProgress,
      } = {},
    ) {
      return (
        await sandbox.run(
          { header: code, parts },
          { signal, maxOutputBytes, owner, tenant, ...(onProgress && { onProgress }) },
        )
      ).header;
    },
  };
}
