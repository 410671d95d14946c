import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { messageOf } from '../src/errors.ts';
import { startService } from '../test/support/service/start-service.ts';
import { choices, flag, readCommandLine, refuse, text } from './command-line.ts';
import { withSection } from './figures.ts';
import { CLIENTS, type Client } from './session-clients/clients.ts';
import { allSucceeded, type ClientReport, GUIDE, SECTION, tablesOf } from './session-clients/report.ts';
import { runClient } from './session-clients/run-client.ts';
import { EXPECTED, findClosedPort, startSite } from './session-clients/site.ts';

const HELP = `Drives a browser session by each client of the DevTools protocol: connects, opens a page, uploads and downloads a
file, uses several tabs, and comes back; then fails in several ways, for the client's own errors. Starts the service with
data of its own. Playwright and Puppeteer are those of this repository. The other clients are installed below a directory
of their own, never into this repository: from npm and PyPI, from the proxy of Go modules, and chromedriver as a package
of Debian, which needs npm, python3, go and apt-get. A client that cannot be installed is named with the reason. Takes
about four minutes, and more for the first installation. Ends with 1 if a client could not do something.

Usage: node bench/session-clients.ts [OPTIONS]

  --clients NAME,…    only these: ${CLIENTS.map(({ name }) => name).join(', ')} (all)
  --directory PATH    where clients are installed and stay (winnow-session-clients in the temporary directory)
  --write             write the tables into docs/guides/browser-sessions.md; npx biome check --write aligns them
  --help              print this text
`;

const names = CLIENTS.map(({ name }) => name);
const options = readCommandLine(HELP, {
  clients: choices(names, names),
  directory: text(path.join(tmpdir(), 'winnow-session-clients')),
  write: flag(),
});
await main(options);

async function main({ clients, directory, write }: typeof options): Promise<void> {
  if (write && clients.length < CLIENTS.length) refuse('--write needs all clients, so leave --clients out');
  await mkdir(directory, { recursive: true });
  const service = await startService({ env: { LOG_LEVEL: 'warn' } });
  const request = async (method: string, resource: string) => {
    const headers = { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' };
    const body = method === 'POST' ? '{}' : null;
    const response = await fetch(`${service.url}/v2/browser${resource}`, { method, headers, body });
    if (!response.ok) throw new Error(await response.text());
    // The response to a creation has both texts.
    return (await response.json()) as { id: string; cdpUrl: string };
  };
  let current = '';
  await using site = await startSite(() => request('DELETE', `/${current}`));
  const drive = async (client: Client): Promise<ClientReport> => {
    const installed = await client.install(directory).catch((error: unknown) => messageOf(error));
    if (typeof installed === 'string') return { client, missing: installed };
    const file = path.join(directory, 'file-of-client.txt');
    await writeFile(file, EXPECTED.upload);
    const ended = await request('POST', '');
    await request('DELETE', `/${ended.id}`);
    const { id, cdpUrl } = await request('POST', '');
    current = id;
    const outcomes = await runClient(installed.command, {
      ...installed.settings,
      WINNOW_CLIENT_URL: cdpUrl,
      WINNOW_CLIENT_API: `${service.url}/v2/browser/${id}`,
      WINNOW_CLIENT_KEY: service.key,
      WINNOW_CLIENT_SITE: site.url,
      WINNOW_CLIENT_FILE: file,
      WINNOW_CLIENT_UNREACHABLE: `http://127.0.0.1:${await findClosedPort()}/`,
      WINNOW_CLIENT_PRIVATE: 'http://10.0.0.1/',
      WINNOW_CLIENT_ENDED: ended.cdpUrl,
      WINNOW_CLIENT_UNKNOWN: `${cdpUrl.slice(0, -1)}${cdpUrl.endsWith('A') ? 'B' : 'A'}`,
      WINNOW_CLIENT_END_SESSION: `${site.url}/end-session`,
    });
    return { client, outcomes };
  };
  try {
    const reports: ClientReport[] = [];
    for (const client of CLIENTS.filter(({ name }) => clients.includes(name))) {
      const report = await drive(client);
      process.stderr.write(`${client.name}: ${report.missing ?? 'has ended'}\n`);
      reports.push(report);
    }
    process.stdout.write(`${tablesOf(reports)}\n`);
    if (!allSucceeded(reports)) process.exitCode = 1;
    if (write) await writeFile(GUIDE, withSection(await readFile(GUIDE, 'utf8'), SECTION, tablesOf(reports)));
  } finally {
    await service.stop();
  }
}
