import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { EXPECTED } from './site.ts';

/** The outcome of a step, which a program prints as a line of JSON. */
export interface StepOutcome {
  step: string;
  value?: unknown;
  /** The message of the client's error. */
  error?: string;
}

/** Steps that have to succeed, in their order. */
export const STEPS = ['connect', 'navigate', 'upload', 'download', 'tabs', 'reconnect'] as const;
/**
 * Steps that have to fail: a page of a closed port, one of a private address, a session that has ended, a URL
 * with a wrong secret, and a session that ends while a page is in use.
 */
export const FAILURES = ['unreachable', 'private', 'ended', 'unknown', 'killed'] as const;

/** A client that takes longer is ended, in milliseconds. */
const LONGEST_MS = 300_000;

/**
 * Runs the program of a client.
 * @param settings what it gets in its environment
 * @returns its outcomes by their steps; a program that ends early has fewer
 */
export async function runClient(
  [program = '', ...args]: string[],
  settings: Record<string, string>,
): Promise<Map<string, StepOutcome>> {
  const child = spawn(program, args, {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LONGEST_MS,
  });
  const failed = new Promise<never>((_resolve, reject) => child.once('error', reject));
  const outcomes = new Map<string, StepOutcome>();
  const read = async () => {
    for await (const line of createInterface(child.stdout)) {
      const outcome: StepOutcome = JSON.parse(line);
      outcomes.set(outcome.step, outcome);
    }
  };
  await Promise.race([read(), failed]);
  return outcomes;
}

/** Whether a step did what it has to do; otherwise what it reported. */
export function judge(step: (typeof STEPS)[number], outcome: StepOutcome | undefined): true | string {
  if (!outcome) return 'not reached';
  if (outcome.error !== undefined) return outcome.error;
  if (step === 'connect') return true;
  const { value } = outcome;
  const found = step === 'download' ? textOf(value) : value;
  // Tabs are in no order after a reconnection.
  const isRight = isDeepStrictEqual(step === 'reconnect' ? sorted(found) : found, EXPECTED[step]);
  return isRight || `${JSON.stringify(value)} in place of ${JSON.stringify(EXPECTED[step])}`;
}

const textOf = (value: unknown) =>
  value !== null && typeof value === 'object' && 'text' in value ? value.text : value;
const sorted = (value: unknown) =>
  Array.isArray(value)
    ? value
        .filter((title) => title !== '')
        .sort()
        .reverse()
    : value;
