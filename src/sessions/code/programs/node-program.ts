import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import { BrowserTab } from './browser-tab.ts';
import { defineImport, replaceImports } from './dynamic-imports.ts';
import { type CallOutcome, serveCalls } from './host-channel.ts';
import { JavaScriptRepl, Thrown } from './javascript-repl.ts';
import { hideProgramFrames, withoutProgramFrames } from './stack-frames.ts';

/**
 * Executes JavaScript in the sandbox. Argument: the URL of the browser, to which the first call connects, so
 * that the program can be started before there is a session; without one, it ends when it has loaded its
 * modules, so that V8 stores their compiled code.
 */

hideProgramFrames();
defineImport();
writeAtOnce();
process.on('uncaughtException', printError).on('unhandledRejection', printError);
Object.assign(globalThis, { require: createRequire('/tmp/code.js') });

const [, , url] = process.argv;
if (url === undefined) process.exit();
const tab = new BrowserTab(url);
const repl = new JavaScriptRepl();

serveCalls(async ({ code, targetId }) => {
  const variables = await tab.begin(targetId);
  for (const [name, value] of Object.entries(variables))
    if (repl.get(name) !== value) await repl.set(name, value);
  const outcome = await evaluate(code);
  return { ...outcome, targetId: await tab.end(variables.page, repl.get('page')) };
});

async function evaluate(code: string): Promise<CallOutcome> {
  try {
    return { exitCode: 0, result: textOf(await repl.evaluate(replaceImports(code))) };
  } catch (error) {
    // Anything else is thrown by the conversion of the result.
    const thrown = error instanceof Thrown ? error.value : error;
    printError(thrown);
    return { exitCode: 1, error: thrown instanceof Error ? String(thrown) : `Uncaught ${inspect(thrown)}` };
  }
}

/** The text of a result: strings as they are, nothing for `undefined`, JSON for what has it. */
function textOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value instanceof Error) return inspectedOrText(value);
  const isContainer = value instanceof Map || value instanceof Set || value instanceof RegExp;
  try {
    return (isContainer ? undefined : JSON.stringify(value)) ?? inspect(value);
  } catch {
    // It refers to itself, or contains a BigInt.
    return inspect(value);
  }
}

const inspectedOrText = (value: unknown) => (value instanceof Error ? inspect(value) : String(value));

/** Removes the brackets in which Node puts an error without a stack trace, such as that of a wrong syntax. */
const withoutBrackets = (text: string) => text.replace(/^\[([\s\S]*?)\](?=$| \{)/, '$1');

function printError(thrown: unknown): void {
  const text =
    thrown instanceof Error
      ? withoutProgramFrames(withoutBrackets(inspect(thrown)))
      : `Uncaught ${inspect(thrown)}`;
  writeSync(process.stderr.fd, `${text}\n`);
}

/** Makes all output arrive before the program ends, however the code ends it. */
function writeAtOnce(): void {
  for (const stream of [process.stdout, process.stderr]) {
    // Both are pipes, whose handles have the method.
    const { _handle: handle } = stream as { _handle?: { setBlocking?(isBlocking: boolean): void } };
    handle?.setBlocking?.(true);
  }
}
