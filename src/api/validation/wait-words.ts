import { isJsonObject } from '../../json/json-object.ts';
import { isShort } from './examples.ts';

/** A condition in JavaScript: a function, or what only a script has. */
const CONDITION = /=>|^(?:async\s+)?function\b|\b(?:document|window)\./;
const FUNCTION = /=>|^(?:async\s+)?function\b/;
/** How crawlers mark a selector, or a condition. */
const CSS_MARK = /^css[:=]\s*/;
const SCRIPT_MARK = /^js[:=]\s*/;
/** The names under which other tools have the selector, or the function, in an object. */
const NAMES = [
  'selector',
  'css',
  'element',
  'locator',
  'function',
  'fn',
  'pageFunction',
  'expression',
  'script',
];

/** The action that waits for what the value of another tool's option says: a selector, or a condition. */
export function waitingAction(value: unknown): object {
  const text = waitedFor(value)?.trim() ?? '';
  const script = text.replace(SCRIPT_MARK, '');
  if (script === text && !CONDITION.test(text))
    return { type: 'wait', selector: text.replace(CSS_MARK, '') || '#content' };
  const condition = FUNCTION.test(script) ? `(${script})()` : `(${script})`;
  return {
    type: 'executeJavascript',
    script: `while (!${condition}) await new Promise((done) => setTimeout(done, 100))`,
  };
}

/** Says how a page is waited for. */
export const adviseOnWait = (value: unknown): string =>
  `Use actions: [${JSON.stringify(waitingAction(value))}].`;

/** The text of a value that names what is waited for. */
function waitedFor(value: unknown): string | undefined {
  const found = isJsonObject(value) ? NAMES.map((name) => value[name]) : [value];
  return found.filter((each) => typeof each === 'string').find((each) => each.trim() !== '' && isShort(each));
}
