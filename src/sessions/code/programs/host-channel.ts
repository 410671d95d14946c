import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { MAX_RESULT_CHARS } from './result-text.ts';

/** The channel between a program in the sandbox and the service: lines of JSON in both directions. */
const CHANNEL_FD = 3;

/** Code to execute. */
export interface Call {
  id: number;
  code: string;
  /** The line that is written to standard output and errors after the last output of the code. */
  endMark: string;
  /** The tab that `page` is before the code begins, if any tab is known. */
  targetId?: string;
}

/** The outcome of a call. */
export interface CallOutcome {
  exitCode: number;
  result?: string;
  error?: string;
  truncated?: boolean;
  /** The tab that the code uses now. */
  targetId?: string | undefined;
}

/**
 * Says that the program is ready, and executes calls one after the other until the service ends the program.
 * @param execute executes the code of a call
 */
export function serveCalls(execute: (call: Call) => Promise<CallOutcome>): void {
  const channel = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
  // A line break before each message ends what the code may have written to the channel.
  const send = (message: object) => channel.write(`\n${JSON.stringify(message)}\n`);
  const parse = JSON.parse;
  let rest = '';
  channel.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    // The service sends a call only when the one before has ended.
    for (const line of lines) void serve(parse(line) as Call);
  });
  // The code closed the channel, so nothing can be reported any more.
  channel.on('error', () => process.exit(1)).on('end', () => process.exit(1));
  send({ ready: true });

  async function serve(call: Call): Promise<void> {
    const outcome = await execute(call).catch((error: unknown) => ({ exitCode: 1, error: String(error) }));
    for (const output of [1, 2]) writeMark(output, call.endMark);
    send({ id: call.id, ...bounded(outcome) });
  }
}

function bounded(outcome: CallOutcome): CallOutcome {
  const { result = '', error } = outcome;
  return {
    ...outcome,
    result: result.slice(0, MAX_RESULT_CHARS),
    ...(error !== undefined && { error: error.slice(0, MAX_RESULT_CHARS) }),
    ...(result.length > MAX_RESULT_CHARS && { truncated: true }),
  };
}

/**
 * Writes after all output of the code. The code may have closed the file descriptor, which the service
 * notices.
 */
function writeMark(output: number, endMark: string): void {
  try {
    writeSync(output, endMark);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && ['EBADF', 'EPIPE'].includes(String(error.code))))
      throw error;
  }
}
