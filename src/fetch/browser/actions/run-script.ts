import type { Session } from '../chromium/cdp.ts';
import { isBetweenDocuments } from '../dom/isolated-world.ts';

/** The result of a script. */
export interface ScriptValue {
  /** The `typeof` of the value. */
  type: string;
  /** The value as JSON. Values that JSON lacks, such as `NaN`, are text; a missing value is `null`. */
  value: unknown;
}

/** The response of `Runtime.evaluate`. */
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
 * Runs a script among the page's own globals, like the browser's console. The result is the value of the last
 * expression or of a `return`; a promise is awaited.
 * @throws Error with the text of what the script threw
 */
export async function runScript(session: Session, script: string): Promise<ScriptValue> {
  const run = (expression: string) =>
    session.send('Runtime.evaluate', { expression, awaitPromise: true, userGesture: true, replMode: true });
  try {
    let evaluated: EvaluateResponse = await run(script);
    // `return` is only valid in a function.
    if (/^SyntaxError: Illegal return/.test(evaluated.exceptionDetails?.exception?.description ?? ''))
      evaluated = await run(`(async () => {\n${script}\n})()`);
    const { objectId, subtype } = requireResult(evaluated);
    // In REPL mode promises are returned unresolved, and objects by reference.
    if (objectId && subtype === 'promise') {
      const promiseOptions = { promiseObjectId: objectId, returnByValue: true };
      evaluated = await session.send('Runtime.awaitPromise', promiseOptions);
    } else if (objectId) {
      const identityCall = {
        objectId,
        functionDeclaration: 'function () { return this }',
        returnByValue: true,
      };
      evaluated = await session.send('Runtime.callFunctionOn', identityCall);
    }
    const { type, value, unserializableValue } = requireResult(evaluated);
    return { type, value: value ?? unserializableValue ?? null };
  } catch (error) {
    // The script navigated to another page.
    if (isBetweenDocuments(error)) return { type: 'undefined', value: null };
    throw error;
  }
}

function requireResult({ result, exceptionDetails }: EvaluateResponse): EvaluateResponse['result'] {
  if (!exceptionDetails) return result;
  const { exception, text } = exceptionDetails;
  throw new Error(`the script threw ${exception?.description ?? exception?.value ?? text}`);
}
