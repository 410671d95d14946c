import type { Attack } from './attack.ts';
import { type Attacker, textAt } from './attacker.ts';

/** Attacks by the Model Context Protocol. */

const LANES = 8;
const META = 'io.modelcontextprotocol';

/** Sends a request of version 2026-07-28, whose headers repeat what its body says. */
function send(attacker: Attacker, method: string, params: Record<string, unknown>) {
  const name = params.name ?? params.taskId;
  const _meta = {
    [`${META}/protocolVersion`]: '2026-07-28',
    [`${META}/clientCapabilities`]: { extensions: { [`${META}/tasks`]: {} } },
    progressToken: 'x'.repeat(1_000),
  };
  return attacker.call('POST /v2/mcp', {
    json: { jsonrpc: '2.0', id: 'x'.repeat(1_000), method, params: { ...params, _meta } },
    headers: {
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...(name !== undefined && { 'Mcp-Name': String(name) }),
    },
  });
}

const tools: Attack = {
  name: 'tools',
  aim: 'tools with arguments that they do not know, cursors to other routes, and tasks that are given up',
  async run(attacker) {
    const { site, other } = attacker.around;
    await attacker.repeat(LANES, async (turn) => {
      const url = `${site}/endless?${turn}`;
      const started = await send(attacker, 'tools/call', {
        name: 'firecrawl_crawl',
        arguments: { url, limit: 1_000 },
      });
      const taskId = textAt(started.body, 'result', 'taskId') || `crawl_${other.scrapeId}`;
      await send(attacker, 'tasks/get', { taskId });
      await send(attacker, 'tasks/cancel', { taskId });
      for (const path of ['/v2/scrape/:id', '/admin/teams', '/v2/monitor']) {
        const next = { path, params: { id: other.scrapeId }, from: turn * 1e12 };
        const cursor = Buffer.from(JSON.stringify(next)).toString('base64url');
        const read = await send(attacker, 'tools/call', {
          name: 'firecrawl_read_more',
          arguments: { cursor },
        });
        const hasPage = JSON.stringify(read.body).includes(other.page);
        attacker.attempt(`a cursor to ${path} has returned a page of the other team`, !hasPage);
      }
      const junk = { url: 1, formats: Array.from({ length: 20_000 }, (_, n) => ({ type: n })), 'x y': {} };
      await send(attacker, 'tools/call', { name: 'firecrawl_scrape', arguments: junk });
      await send(attacker, 'tools/call', { name: 'x'.repeat(2_000), arguments: [] });
      await attacker.call('POST /v2/mcp', {
        json: Array.from({ length: 1_000 }, () => ({ jsonrpc: '2.0' })),
      });
    });
  },
};

export const TOOL_ATTACKS: Attack[] = [tools];
