import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';
import { MCP_CLIENTS } from '../../src/cli/mcp-clients.ts';
import { callTool, VERSIONS } from '../support/mcp/client.ts';
import { runInProcess } from '../support/service/command-line.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';

/** `winnow mcp`, as clients start it. */

const service = useService();
const ROOT = path.join(import.meta.dirname, '../..');

it.each(VERSIONS)(
  'the command mcp serves the tools of a service over stdio, in version %s',
  async (version) => {
    await using site = await startPages({ '/': '<h1>Notes</h1>' });
    const mode = version === '2026-07-28' ? ({ pin: version } as const) : 'legacy';
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    const env = { ...process.env, WINNOW_URL: service.url, WINNOW_API_KEY: service.key };
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [path.join(ROOT, 'bin/winnow.js'), 'mcp'],
        // Variables that are not set are none of the child's.
        env: env as Record<string, string>,
      }),
    );
    try {
      expect(client.getNegotiatedProtocolVersion()).toBe(version);
      const { structured } = await callTool(client, 'firecrawl_scrape', { url: site.url });
      expect(structured).toMatchObject({ markdown: '# Notes' });
      const missing = await callTool(client, 'firecrawl_check_crawl_status', {
        id: structured.metadata.scrapeId,
      });
      expect(missing).toMatchObject({
        isError: true,
        structured: { code: 'NOT_FOUND', error: expect.stringContaining('The id is that of a scrape') },
      });
    } finally {
      await client.close();
    }
  },
);

it('the command mcp says at once that the key is wrong', async () => {
  const { exitCode, stderr, stdout } = await runInProcess(['mcp'], {
    settings: { WINNOW_URL: service.url, WINNOW_API_KEY: 'fc-wrong' },
  });
  expect(stderr).toContain('The key is unknown or revoked.');
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
});

it('the help of the command mcp and the guide have the same lines for each client', async () => {
  const { stdout } = await runInProcess(['mcp', '--help'], {});
  const guide = readFileSync(path.join(ROOT, 'docs/guides/mcp.md'), 'utf8');
  const withoutIndent = stdout.replaceAll(/^ {2}/gm, '');
  for (const { name, where, lines } of MCP_CLIENTS) {
    expect(stdout).toContain(`${name}, ${where}:`);
    expect(withoutIndent).toContain(lines);
    expect(guide).toContain(`### ${name}`);
    // The formatter of the guide breaks lines elsewhere.
    expect(guide.replaceAll(/\s+/g, '')).toContain(lines.replaceAll(/\s+/g, ''));
  }
});
