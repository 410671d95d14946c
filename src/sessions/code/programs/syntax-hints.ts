/** What code for a function or a module has at its top level, by the message of the error, and its remedy. */
const HINTS: readonly [message: RegExp, hint: string][] = [
  [
    /^Illegal return statement/,
    'The code is not the body of a function: the value of its last expression is the result, so write `value` instead of `return value`.',
  ],
  [
    /^Cannot use import statement outside a module/,
    "The code is not a module: write `const { readFile } = await import('node:fs/promises')`, or use `require`.",
  ],
  [
    /^(?:Unexpected token 'export'|Cannot use 'import\.meta')/,
    'The code is not a module: the value of its last expression is the result, and variables last until the next call.',
  ],
];

/** Adds to the message of a syntax error how the code has to be written, if it is one of those that many make. */
export function addSyntaxHint(thrown: unknown): void {
  if (!(thrown instanceof SyntaxError)) return;
  const { message } = thrown;
  const hint = HINTS.find(([pattern]) => pattern.test(message))?.[1];
  if (hint === undefined) return;
  const { stack } = thrown;
  thrown.message = `${message}. ${hint}`;
  // It has the message of before.
  if (stack !== undefined) thrown.stack = stack.replace(message, () => thrown.message);
}
