import type { Session } from './cdp.ts';
import { isBetweenDocuments } from './isolated-world.ts';

/** What a script came to. */
export interface ScriptValue {
  /** As `typeof` says. */
  type: string;
  /** As JSON; numbers and the like that JSON lacks as text, `null` where there is none. */
  value: unknown;
}

/** What Chromium says of it. */
interface EvaluateResponse {
  result: {
    type: string;
    subtype?: string;
    value?: unknown;
    unserializableValue?: string;
    objectId?: string;
  };
  exceptionDetails?: { text: string; exception?: { description?: string; value?: unknown } };
}

/**
 * Runs a script among the page's own, as its console would: the value is that of its last expression, or what it
 * returns; a promise is waited for.
 * @throws Error that says what the script threw
 */
export async function runScript(session: Session, script: string): Promise<ScriptValue> {
  const run = (expression: string) =>
    session.send('Runtime.evaluate', { expression, awaitPromise: true, userGesture: true, replMode: true });
  try {
    let evaluated: EvaluateResponse = await run(script);
    // `return` stands in functions only.
    if (/^SyntaxError: Illegal return/.test(evaluated.exceptionDetails?.exception?.description ?? ''))
      evaluated = await run(`(async () => {\n${script}\n})()`);
    const { objectId, subtype } = requireResult(evaluated);
    // A console shows promises as they are, and objects by reference.
    if (objectId && subtype === 'promise') {
      const promiseOptions = { promiseObjectId: objectId, returnByValue: true };
      evaluated = await session.send('Runtime.awaitPromise', promiseOptions);
    } else if (objectId) {
      const identityCall = { objectId, functionDeclaration: 'function () { return this }', returnByValue: true };
      evaluated = await session.send('Runtime.callFunctionOn', identityCall);
    }
    const { type, value, unserializableValue } = requireResult(evaluated);
    return { type, value: value ?? unserializableValue ?? null };
  } catch (error) {
    // The script went to another page.
    if (isBetweenDocuments(error)) return { type: 'undefined', value: null };
    throw error;
  }
}

function requireResult({ result, exceptionDetails }: EvaluateResponse): EvaluateResponse['result'] {
  if (!exceptionDetails) return result;
  const { exception, text } = exceptionDetails;
  throw new Error(`the script threw ${exception?.description ?? exception?.value ?? text}`);
}
