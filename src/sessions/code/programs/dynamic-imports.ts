import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** The global function that replaces `import()`, which V8's interactive mode does not have. */
const IMPORT = '$import';
/**
 * Strings, comments and templates, in which nothing is replaced; and `import` before a parenthesis, if it is
 * no property.
 */
const TOKENS =
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|\/\/.*|\/\*[\s\S]*?\*\/|(?<![\w$.#])import(?=\s*\()/g;

/**
 * Defines the function that code with replaced imports calls. Relative paths begin at the working directory.
 */
export function defineImport(): void {
  const load = (specifier: string, options?: ImportCallOptions) => {
    const isPath = /^\.{0,2}\//.test(specifier);
    return import(isPath ? pathToFileURL(path.resolve(specifier)).href : specifier, options);
  };
  Object.defineProperty(globalThis, IMPORT, { value: load });
}

/** Makes the dynamic imports of code work, except for those in the expressions of template strings. */
export const replaceImports = (code: string): string =>
  code.replace(TOKENS, (token) => (token === 'import' ? IMPORT : token));
