import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { BrowserTab } from './browser-tab.ts';
import { defineImport, replaceImports } from './dynamic-imports.ts';
import { type CallOutcome, serveCalls } from './host-channel.ts';
import { JavaScriptRepl, Thrown } from './javascript-repl.ts';
import { textOf } from './result-text.ts';
import { hideProgramFrames, withoutProgramFrames } from './stack-frames.ts';
import { addSyntaxHint } from './syntax-hints.ts';

/**
 * Executes JavaScript in the sandbox. Arguments: the URL of the browser, to which the first call connects, so
 * that the program can be started before there is a session, and the directory in which Playwright finds
 * downloads; without any, it ends when it has loaded its modules, so that V8 stores their compiled code.
 */

hideProgramFrames();
defineImport();
writeAtOnce();
process.on('uncaughtException', printError).on('unhandledRejection', printError);
Object.assign(globalThis, { require: createRequire('/tmp/code.js') });

const [, , url, artifactsDir] = process.argv;
if (url === undefined || artifactsDir === undefined) process.exit();
const tab = new BrowserTab(url, artifactsDir);
const repl = new JavaScriptRepl();

serveCalls(async ({ code, targetId }) => {
  renewStandardInput();
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
    addSyntaxHint(thrown);
    printError(thrown);
    return { exitCode: 1, error: thrown instanceof Error ? String(thrown) : `Uncaught ${inspect(thrown)}` };
  }
}

/** Removes the brackets in which Node puts an error without a stack trace, such as that of a wrong syntax. */
const withoutBrackets = (text: string) => text.replace(/^\[([\s\S]*?)\](?=$| \{)/, '$1');

function printError(thrown: unknown): void {
  const text =
    thrown instanceof Error
      ? withoutProgramFrames(withoutBrackets(inspect(thrown)))
      : `Uncaught ${inspect(thrown)}`;
  writeSync(process.stderr.fd, `${text}\n`);
}

/** Gives each call a standard input that ends. That of the process ends once, for which later code would wait. */
function renewStandardInput(): void {
  const stdin = new Readable({
    read() {
      this.push(null);
    },
  });
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true, writable: true });
}

/** Makes all output arrive before the program ends, however the code ends it. */
function writeAtOnce(): void {
  for (const stream of [process.stdout, process.stderr]) {
    // Both are pipes, whose handles have the method.
    const { _handle: handle } = stream as { _handle?: { setBlocking?(isBlocking: boolean): void } };
    handle?.setBlocking?.(true);
  }
}
