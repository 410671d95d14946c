import { inject } from 'vitest';

const META = 'io.modelcontextprotocol';

/** A message of JSON-RPC that a server has sent. */
// biome-ignore lint/suspicious/noExplicitAny: tests read responses as a client without types does
type Message = any;

/**
 * Sends a request of version 2026-07-28 as a client that knows tasks, which the official client does not.
 * @param options.knowsTasks false for a client without them
 */
export async function sendMessage(
  method: string,
  params: Record<string, unknown>,
  { key, knowsTasks = true }: { key?: string; knowsTasks?: boolean } = {},
): Promise<Message> {
  const service = inject('service');
  const name = params.name ?? params.taskId;
  const response = await fetch(`${service.url}/v2/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key ?? service.key}`,
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...(name !== undefined && { 'Mcp-Name': String(name) }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          [`${META}/protocolVersion`]: '2026-07-28',
          [`${META}/clientInfo`]: { name: 'test', version: '1.0.0' },
          [`${META}/clientCapabilities`]: knowsTasks ? { extensions: { [`${META}/tasks`]: {} } } : {},
        },
      },
    }),
  });
  return response.json();
}
