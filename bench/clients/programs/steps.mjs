/** What the programs in JavaScript have in common. */

import { writeSync } from 'node:fs';

/** The values of the site and the service, see ../given.ts. */
export const given = JSON.parse(process.env.WINNOW_CLIENT);

/** The descriptor from which the benchmark reads, because clients write to the others. */
const OUTCOMES = 3;

const report = (outcome) => writeSync(OUTCOMES, `${JSON.stringify(outcome)}\n`);

/** Says which methods the client has. */
export const announce = (methods) => report({ methods });

/** The public methods of an object, its class, and the classes above. */
export function methodsOf(object) {
  const names = new Set();
  for (let each = object; each && each !== Object.prototype; each = Object.getPrototypeOf(each))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(each)))
      if (name !== 'constructor' && typeof value === 'function') names.add(name);
  return [...names];
}

/** Performs a call of a method, and checks that its result has the texts. Returns the result. */
export async function step(method, perform, ...texts) {
  try {
    const value = await perform();
    const json = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    const missing = texts.filter((text) => !json.includes(text));
    report({ method, ...(missing.length > 0 && { error: `${missing.join(', ')} is not in ${json}` }) });
    return value;
  } catch (error) {
    report({ method, error: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

/** Performs a call which has to be refused with a text that says why. */
export async function refused(method, perform, text) {
  try {
    const json = JSON.stringify(await perform()) ?? '';
    report(
      json.includes(text) ? { method, refusal: json } : { method, error: `it was not refused: ${json}` },
    );
  } catch (error) {
    const { message } = error;
    report(message.includes(text) ? { method, refusal: message } : { method, error: message });
  }
}

/** Calls until the result is no longer what the first argument says, every half second. */
export async function until(isReady, perform) {
  for (;;) {
    const value = await perform();
    if (isReady(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
