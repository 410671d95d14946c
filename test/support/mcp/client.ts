import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { inject } from 'vitest';

/** The versions of the protocol that are served. */
export const VERSIONS = ['2026-07-28', '2025-11-25'] as const;
export type Version = (typeof VERSIONS)[number];

/**
 * Connects the official client to the shared service, or to another one.
 * @param options.key another key than that of the first team
 */
export async function connectClient(
  version: Version,
  { key, url }: { key?: string; url?: string } = {},
): Promise<Client & AsyncDisposable> {
  const service = inject('service');
  const mode = version === '2026-07-28' ? ({ pin: version } as const) : 'legacy';
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(`${url ?? service.url}/v2/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${key ?? service.key}` } },
  });
  await client.connect(transport);
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

/** The result of a tool as a program without types reads it. */
interface ToolResult {
  isError?: boolean | undefined;
  content: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: tests read results as a client without types does
  structured: any;
}

/** Calls a tool. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown>,
  options?: Parameters<Client['callTool']>[1],
): Promise<ToolResult> {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: args }, options);
  return { isError, content, structured: structuredContent };
}
