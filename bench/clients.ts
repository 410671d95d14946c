import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { messageOf } from '../src/errors.ts';
import { startService } from '../test/support/service/start-service.ts';
import { CLIENTS, type Client } from './clients/clients.ts';
import { startGiven } from './clients/given.ts';
import { prepare } from './clients/packages.ts';
import { allSucceeded, type ClientReport, faultsOf, GUIDE, SECTION, tableOf } from './clients/report.ts';
import { runClient } from './clients/run-client.ts';
import { choices, flag, readCommandLine, refuse, text } from './command-line.ts';
import { withSection } from './figures.ts';

const HELP = `Runs programs of the ecosystem unchanged against the service: the official SDKs of several versions, the command
line, and what frameworks and workflow tools have. Each client calls every method that it has, and the results are
compared with what the pages say. Starts the service with data of its own, a site and a language model that follows a
script. Clients are installed in fixed versions below a directory of their own, never into this repository, from npm,
and PyPI, which needs npm and python3 with pip. A client that cannot be installed is named with the reason. Takes about five minutes, and more for the first installation. Ends with 1 if a method did
not do what it should.

Usage: node bench/clients.ts [OPTIONS]

  --clients NAME,…    only these: ${CLIENTS.map(({ name }) => name).join(', ')} (all)
  --directory PATH    where clients are installed and stay (winnow-clients in the temporary directory)
  --write             write the table into docs/guides/clients.md; npx biome check --write aligns it
  --help              print this text
`;

const names = CLIENTS.map(({ name }) => name);
const options = readCommandLine(HELP, {
  clients: choices(names, names),
  directory: text(path.join(tmpdir(), 'winnow-clients')),
  write: flag(),
});
await main(options);

async function main({ clients, directory, write }: typeof options): Promise<void> {
  if (write && clients.length < CLIENTS.length) refuse('--write needs all clients, so leave --clients out');
  await mkdir(directory, { recursive: true });
  await using world = await startGiven(directory);
  const service = await startService({
    env: { LOG_LEVEL: 'warn', WINNOW_LLM_BASE_URL: world.modelUrl, WINNOW_LLM_MODEL: 'a-model' },
  });
  const { url, key } = service;
  const call = async (client: Client): Promise<ClientReport> => {
    const prepared = await prepare(client.packages, client.program, directory).catch((error: unknown) =>
      messageOf(error),
    );
    if (typeof prepared === 'string') return { client, missing: prepared };
    const run = await runClient(prepared.command, { ...world.given, url, key }, prepared.settings);
    return { client, run };
  };
  try {
    const reports: ClientReport[] = [];
    for (const client of CLIENTS.filter(({ name }) => clients.includes(name))) {
      const report = await call(client);
      process.stderr.write(`${[`${client.name} has ended`, ...faultsOf(report)].join('\n  ')}\n`);
      reports.push(report);
    }
    process.stdout.write(`${tableOf(reports)}\n`);
    if (!allSucceeded(reports)) process.exitCode = 1;
    if (write) await writeFile(GUIDE, withSection(await readFile(GUIDE, 'utf8'), SECTION, tableOf(reports)));
  } finally {
    await service.stop();
  }
}
