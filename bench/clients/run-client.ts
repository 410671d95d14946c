import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** The outcome of a call, which a program writes as a line of JSON. */
export interface CallOutcome {
  method: string;
  /** Why it failed. */
  error?: string;
  /** The text by which the service refused it, as the program expected. */
  refusal?: string;
}

/** What a client did: all of its methods, and the calls that were made. */
export interface ClientRun {
  methods: string[];
  calls: CallOutcome[];
  /** The end of its output, if the program did not end well. */
  crash?: string;
}

/** A client that takes longer is ended, in milliseconds. */
const LONGEST_MS = 300_000;
const SHOWN_OUTPUT = 600;

/**
 * Runs the program of a client.
 * @param given values for the program, which it gets as JSON in the variable WINNOW_CLIENT
 */
export async function runClient(
  [program = '', ...args]: string[],
  given: object,
  settings: Record<string, string> = {},
): Promise<ClientRun> {
  const child = spawn(program, args, {
    env: { ...process.env, ...settings, WINNOW_CLIENT: JSON.stringify(given) },
    // Clients write to the first three, so outcomes have a descriptor of their own.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
  });
  // Every entry of stdio above that is a pipe is a stream to read from here.
  const [out, err, outcomes] = child.stdio.slice(1) as Readable[];
  const ended = once(child, 'close');
  const [lines, ...outputs] = await Promise.all([text(outcomes!), text(out!), text(err!)]);
  const [code, signal] = await ended;
  return {
    ...readOutcomes(lines),
    ...(code !== 0 && {
      crash: `ended with ${code ?? signal}: ${outputs.join('').trim().slice(-SHOWN_OUTPUT)}`,
    }),
  };
}

function readOutcomes(lines: string): ClientRun {
  const run: ClientRun = { methods: [], calls: [] };
  for (const line of lines.split('\n').filter(Boolean)) {
    const outcome: CallOutcome | { methods: string[] } = JSON.parse(line);
    if ('methods' in outcome) run.methods.push(...outcome.methods);
    else run.calls.push(outcome);
  }
  return run;
}
