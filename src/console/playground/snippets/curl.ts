import { quoted } from './shell.ts';
import { KEY_VARIABLE, type SnippetRequest } from './snippet.ts';

/** A request by curl, in a POSIX shell. */
export function curl({ origin, operation, body, fileName }: SnippetRequest): string {
  const json = JSON.stringify(body, null, 2);
  const lines = [`curl ${quoted(origin + operation.path)}`, `-H "Authorization: Bearer $${KEY_VARIABLE}"`];
  return (
    fileName === undefined
      ? [...lines, "-H 'Content-Type: application/json'", `-d ${quoted(json)}`]
      : [
          ...lines,
          `-F ${quoted(`file=@"${fileName.replaceAll(/["\\]/g, '\\$&')}"`)}`,
          `--form-string ${quoted(`options=${json}`)}`,
        ]
  ).join(' \\\n  ');
}
