import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { askService } from '../../src/cli/check-service.ts';
import { readConfig } from '../../src/config.ts';
import { listenOnNewPort } from '../support/network/listen.ts';
import { runInProcess } from '../support/service/command-line.ts';
import { useService } from '../support/service/use-service.ts';

const service = useService();

it('doctor asks the service that runs how its parts are, and prints JSON', async () => {
  const { stdout } = await runInProcess(['doctor', '--json'], {
    settings: { WINNOW_DATA_DIR: service.dataDir, WINNOW_BACKUPS: '/dev/null/backups' },
  });
  const { isWell, findings } = JSON.parse(stdout);
  expect(findings).toContainEqual({
    state: 'missing',
    subject: 'Backups',
    text: expect.stringMatching(
      /^\/dev\/null\/backups is a file or lies below one, and has to be a directory\./,
    ),
  });
  const ofService = findings.filter(({ subject }: { subject: string }) => subject === 'Service');
  expect(ofService).toEqual([
    {
      state: 'ok',
      subject: 'Service',
      text: `${service.url} is ready: database, blobs, temporal, workers, worker`,
    },
  ]);
  expect(isWell).toBe(findings.every(({ state }: { state: string }) => state !== 'missing'));
});

it('doctor names the parts of a service that do not respond', async () => {
  const parts = { database: 'ok', worker: 'browser: no response within 3000 ms' };
  const server = createServer((_request, response) => {
    response.writeHead(503).end(JSON.stringify({ status: 'not ready', parts }));
  });
  const port = await listenOnNewPort(server, '127.0.0.1');
  const url = `http://127.0.0.1:${port}`;
  const config = readConfig({ WINNOW_URL: url, WINNOW_API_KEY: 'fc-1' });
  expect(await askService(config)).toEqual({
    url,
    parts: Object.entries(parts).map(([part, state]) => ({ part, state })),
  });
  server.close();
  server.closeAllConnections();
  expect(await askService(config)).toMatchObject({
    parts: [{ part: 'API', state: expect.stringContaining('does not respond') }],
  });
});
