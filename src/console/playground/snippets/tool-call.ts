import { quoted, shellWord } from './shell.ts';
import type { SnippetRequest } from './snippet.ts';

/** A request as the command that calls a tool of the Model Context Protocol, as a client of it does. */
export function toolCall({
  origin,
  operation: { tool },
  body,
  fileName,
}: SnippetRequest): string | undefined {
  if (tool === undefined) return undefined;
  const given = fileName === undefined ? body : { filePath: fileName, ...body };
  return `WINNOW_URL=${shellWord(origin)} winnow mcp call ${tool} ${quoted(JSON.stringify(given, null, 2))}`;
}
