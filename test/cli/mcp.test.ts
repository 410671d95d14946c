import { readFileSync } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MCP_CLIENTS } from '../../src/cli/mcp-clients.ts';
import { callTool, connectClient, VERSIONS, type Version } from '../support/mcp/client.ts';
import { runInProcess } from '../support/service/command-line.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';

/** `winnow mcp`, as clients start it. */

const service = useService();
const ROOT = path.join(import.meta.dirname, '../..');

/** Connects the official client to a process of its own. */
async function connectStdio(
  version: Version,
  { cwd = ROOT, home = process.env.HOME }: { cwd?: string; home?: string | undefined } = {},
): Promise<Client> {
  const mode = version === '2026-07-28' ? ({ pin: version } as const) : 'legacy';
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const env = { ...process.env, HOME: home, WINNOW_URL: service.url, WINNOW_API_KEY: service.key };
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [path.join(ROOT, 'bin/winnow.js'), 'mcp'],
      cwd,
      // Variables that are not set are none of the child's.
      env: env as Record<string, string>,
    }),
  );
  return client;
}

it.each(VERSIONS)(
  'the command mcp serves the tools of a service over stdio, in version %s',
  async (version) => {
    await using site = await startPages({ '/': '<h1>Notes</h1>' });
    const client = await connectStdio(version);
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

describe('the tool firecrawl_parse of the command mcp', () => {
  let directory: string;
  let client: Client;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'winnow-mcp-'));
    await writeFile(path.join(directory, 'notes.html'), '<h1>Notes</h1><p>Bring tea.</p>');
    await writeFile(path.join(directory, 'report'), '<h1>Report</h1>');
    await writeFile(path.join(directory, 'large.pdf'), '');
    await truncate(path.join(directory, 'large.pdf'), 60 * 1024 * 1024);
    client = await connectStdio('2025-11-25', { cwd: directory, home: directory });
  });
  afterAll(async () => {
    await client.close();
    await rm(directory, { recursive: true });
  });
  const parse = (args: Record<string, unknown>) => callTool(client, 'firecrawl_parse', args);

  it.each([
    ['relative to its directory', () => 'notes.html'],
    ['in the home directory', () => '~/notes.html'],
    ['in a URL', () => pathToFileURL(path.join(directory, 'notes.html')).href],
  ])('reads a file by its path %s', async (_, filePath) => {
    const { structured } = await parse({ filePath: filePath(), includeTags: ['h1'] });
    expect(structured).toMatchObject({ markdown: '# Notes', metadata: { sourceFile: 'notes.html' } });
  });

  it('reads a file of the type that the call names', async () => {
    const { structured } = await parse({ filePath: 'report', contentType: 'text/html' });
    expect(structured).toMatchObject({ markdown: '# Report' });
  });

  it.each([
    ['missing.pdf', 'BAD_REQUEST', /missing\.pdf cannot be read: it does not exist\.$/],
    ['.', 'BAD_REQUEST', /cannot be read: it is a directory\. Name one file in it\.$/],
    ['/dev/zero', 'BAD_REQUEST', /cannot be read: it is a device/],
    ['large.pdf', 'REQUEST_TOO_LARGE', /large\.pdf has 60 MB; a file may have at most 50 MB\./],
    ['file://other/a.pdf', 'BAD_REQUEST', /is not the URL of a file here\. Send its path\.$/],
  ])('says of %s why it is not read', async (filePath, code, error) => {
    const { isError, structured } = await parse({ filePath });
    expect({ isError, ...structured }).toMatchObject({
      isError: true,
      code,
      error: expect.stringMatching(error),
    });
  });
});

it('a path is not read by the service itself, which says how the file is uploaded', async () => {
  const client = await connectClient('2025-11-25');
  const { structured } = await callTool(client, 'firecrawl_parse', { filePath: `${ROOT}/README.html` });
  expect(Object.keys(structured)).toEqual(['upload']);
  expect(structured.upload.command).toMatch(/^curl -X PUT --upload-file '.*README\.html' 'http/);
  await client.close();
});

it('the command mcp says at once that the key is wrong', async () => {
  const { exitCode, stderr, stdout } = await runInProcess(['mcp'], {
    settings: { WINNOW_URL: service.url, WINNOW_API_KEY: 'fc-wrong' },
  });
  expect(stderr).toContain('The key is unknown or revoked.');
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
});

describe('the command mcp call', () => {
  const winnow = (...args: string[]) =>
    runInProcess(['mcp', 'call', ...args], {
      settings: { WINNOW_URL: service.url, WINNOW_API_KEY: service.key },
    });

  it('prints the result of a tool as JSON, or as the text that a model gets', async () => {
    await using site = await startPages({ '/': '<h1>Notes</h1>' });
    const args = ['firecrawl_scrape', JSON.stringify({ url: site.url })];
    const { exitCode, stdout } = await winnow(...args);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ markdown: '# Notes', metadata: { statusCode: 200 } });
    const model = await winnow(...args, '--text');
    expect(model.stdout).toContain('# Notes');
    expect(model.stdout).toMatch(/instruction/);
    expect(JSON.parse((await winnow('firecrawl_credit_usage')).stdout)).toHaveProperty(
      'data.remainingCredits',
    );
  });

  it('waits for the end of a crawl', async () => {
    await using site = await startPages({ '/': '<h1>Notes</h1>' });
    const { stdout } = await winnow('firecrawl_crawl', JSON.stringify({ url: site.url, limit: 1 }));
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', completed: 1 });
  });

  it('reads a file of this machine', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'winnow-mcp-'));
    const filePath = path.join(folder, 'notes.html');
    await writeFile(filePath, '<h1>Kept notes</h1>');
    const { stdout } = await winnow('firecrawl_parse', JSON.stringify({ filePath }));
    expect(JSON.parse(stdout)).toMatchObject({ markdown: '# Kept notes' });
    await rm(folder, { recursive: true });
  });

  it.each([
    ['an unknown tool', ['scrape_url', '{}'], 2, 'Did you mean firecrawl_scrape?'],
    ['arguments that are not JSON', ['firecrawl_scrape', 'url'], 2, 'not JSON'],
    ['arguments that are a list', ['firecrawl_scrape', '[]'], 2, 'Write a JSON object'],
    ['an argument of the wrong type', ['firecrawl_scrape', '{"url": 1}'], 2, 'url'],
    ['a page that cannot be reached', ['firecrawl_scrape', '{"url":"http://127.0.0.1:1/"}'], 1, '127.0.0.1'],
  ])('says what is wrong with %s', async (_what, args, exitCode, message) => {
    const output = await winnow(...args);
    expect(output).toMatchObject({ exitCode, stdout: '', stderr: expect.stringContaining(message) });
  });
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
