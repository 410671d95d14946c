import { type ApiResponse, call } from './call.ts';

/** A file to parse. */
export interface TestFile {
  content: string | Uint8Array<ArrayBuffer>;
  name: string;
  /** Media type; none by default. */
  type?: string;
}

/** The multipart body for a file, with the options first, as the SDKs send it. */
export function formOf({ content, name, type }: TestFile, options?: unknown): FormData {
  const form = new FormData();
  if (options !== undefined) form.append('options', JSON.stringify(options));
  form.append('file', new Blob([content], { type: type ?? '' }), name);
  return form;
}

/** Parses a file by a multipart request. */
export const parse = (
  file: TestFile,
  options?: Record<string, unknown>,
  init: { key?: string } = {},
): Promise<ApiResponse> => call('/v2/parse', { form: formOf(file, options), ...init });

/** An HTML page. */
export const htmlFile = (text: string, name = 'page.html'): TestFile => ({
  content: `<!doctype html><title>${text}</title><main><h1>${text}</h1><p>The text of the page.</p></main>`,
  name,
  type: 'text/html',
});

/**
 * Writes a multipart body by hand, for requests that `FormData` does not make.
 * @param parts the value of `Content-Disposition` and the content of each part
 */
export function multipart(parts: readonly (readonly [string, string])[]) {
  const sections = parts.map(
    ([disposition, content]) => `--b0undary\r\nContent-Disposition: ${disposition}\r\n\r\n${content}\r\n`,
  );
  return {
    raw: `${sections.join('')}--b0undary--\r\n`,
    headers: { 'Content-Type': 'multipart/form-data; boundary=b0undary' },
  };
}
