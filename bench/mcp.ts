import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { count, flag, readCommandLine } from './command-line.ts';
import { startSiteProcess } from './crawl/programs.ts';
import { type Caller, startMeasuredService } from './crawl/service.ts';
import { percentile, short, table } from './figures.ts';

const HELP = `Measures calls of tools at /v2/mcp beside the same requests over HTTP, which alternate: a scrape whose page comes from
the cache, and the credits of the team. Takes a minute. Starts the service with data of its own.

Usage: node bench/mcp.ts [OPTIONS]

  --calls N      calls of each kind (300), after 30 that do not count
  --conformance  run the scenarios for servers of the conformance suite instead, which npx downloads
  --help         print this text
`;

const options = readCommandLine(HELP, { calls: count(300), conformance: flag() });
const WARM_UP = 30;

/** The conformance suite, and those of its scenarios for servers that need no tool made for them. */
const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const SCENARIOS = [
  ...['server-initialize', 'server-session-lifecycle', 'ping', 'tools-list', 'server-sse-multiple-streams'],
  ...['server-stateless', 'http-header-validation', 'caching', 'dns-rebinding-protection'],
];
/** Checks that need a diagnostic tool of the suite, or prompts and resources, which the service does not have. */
const NOT_APPLICABLE = new Set([
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2549-prompts-list-caching-hints',
  'sep-2549-resources-list-caching-hints',
  'sep-2549-resources-templates-list-caching-hints',
]);

const META = 'io.modelcontextprotocol';

/** Sends a request and reads the response, as both sides do. @throws Error if it is not successful */
async function send({ url, key }: Caller, to: string, init: { body?: unknown; headers?: HeadersInit }) {
  const response = await fetch(new URL(to, url), {
    method: init.body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...init.headers },
    ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
  });
  const text = await response.text();
  if (!response.ok || /"isError":true/.test(text))
    throw new Error(`${to} answered ${response.status}: ${text}`);
  JSON.parse(text);
}

function callTool(caller: Caller, name: string, args: object): Promise<void> {
  const _meta = {
    [`${META}/protocolVersion`]: '2026-07-28',
    [`${META}/clientInfo`]: { name: 'bench', version: '1.0.0' },
    [`${META}/clientCapabilities`]: {},
  };
  return send(caller, '/v2/mcp', {
    headers: {
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } },
  });
}

async function timed(run: () => Promise<void>): Promise<number> {
  const before = performance.now();
  await run();
  return performance.now() - before;
}

/** Measures a route and its tool in turn. @returns a row of the table */
async function compare(name: string, route: () => Promise<void>, tool: () => Promise<void>) {
  const http: number[] = [];
  const mcp: number[] = [];
  for (let turn = 0; turn < options.calls + WARM_UP; turn++) {
    const [ofRoute, ofTool] = [await timed(route), await timed(tool)];
    if (turn < WARM_UP) continue;
    http.push(ofRoute);
    mcp.push(ofTool);
  }
  const median = (times: number[]) => percentile(times, 0.5);
  return {
    request: name,
    'HTTP p50, ms': short(median(http)),
    'MCP p50, ms': short(median(mcp)),
    'difference p50, ms': short(median(mcp) - median(http)),
    'HTTP p95, ms': short(percentile(http, 0.95)),
    'MCP p95, ms': short(percentile(mcp, 0.95)),
  };
}

async function measureCalls(caller: Caller): Promise<void> {
  const site = await startSiteProcess();
  try {
    const page = { url: `${site.url}/article/1` };
    const rows = [
      await compare(
        'scrape from the cache',
        () => send(caller, '/v2/scrape', { body: page }),
        () => callTool(caller, 'firecrawl_scrape', page),
      ),
      await compare(
        'credits of the team',
        () => send(caller, '/v2/team/credit-usage', {}),
        () => callTool(caller, 'firecrawl_credit_usage', {}),
      ),
    ];
    console.log(table(rows));
  } finally {
    site.stop();
  }
}

/** Runs a scenario in a directory of its own. @returns the ids of its checks by their outcome */
async function runScenario(url: string, scenario: string, cwd: string) {
  const args = ['--yes', SUITE, 'server', '--url', url, '--scenario', scenario];
  // The suite fails with its checks, which are read from what it prints.
  const { stdout } = await promisify(execFile)('npx', args, { cwd }).catch((error) => error);
  const lines = stripVTControlCharacters(String(stdout)).matchAll(
    /\[([\w-]+) *\] (SUCCESS|FAILURE|SKIPPED|WARNING) /g,
  );
  const checks = Array.from(lines, ([, id = '', outcome]) => ({ id, outcome }));
  const idsOf = (wanted: string) => checks.filter(({ outcome }) => outcome === wanted).map(({ id }) => id);
  return { passed: idsOf('SUCCESS'), failed: idsOf('FAILURE') };
}

async function checkConformance(url: string): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mcp-conformance-'));
  try {
    const rows = [];
    for (const scenario of SCENARIOS) {
      const { passed, failed } = await runScenario(url, scenario, folder);
      const faults = failed.filter((id) => !NOT_APPLICABLE.has(id));
      if (faults.length > 0 || passed.length === 0) process.exitCode = 1;
      const others = failed.length - faults.length;
      rows.push({
        scenario,
        passed: passed.length,
        failed: faults.join(', ') || 0,
        'not applicable': others,
      });
    }
    console.log(table(rows));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// The suite sends no key.
const { instance } = await startMeasuredService({ env: { WINNOW_AUTH: options.conformance ? 'off' : 'on' } });
try {
  if (options.conformance) await checkConformance(`${instance.url}/v2/mcp`);
  else await measureCalls(instance);
} finally {
  await instance.stop();
}
