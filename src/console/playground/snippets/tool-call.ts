import type { SnippetRequest } from './snippet.ts';

/** A request as the message by which a client of MCP calls a tool (`tools/call`, JSON-RPC 2.0). */
export function toolCall({ operation: { tool }, body, fileName }: SnippetRequest): string | undefined {
  if (tool === undefined) return undefined;
  const given = fileName === undefined ? body : { filePath: fileName, ...body };
  return JSON.stringify(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: given } },
    null,
    2,
  );
}
