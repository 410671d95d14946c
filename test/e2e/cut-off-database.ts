import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { finished, startJob, untilStatus } from '../support/api/jobs.ts';
import { type FaultyProxy, type NetworkFault, startFaultyProxy } from '../support/network/faulty-proxy.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { openEmptyDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** The short form of `bench/faults.ts`: a service whose network to its database fails while a batch and scrapes run. */

const BATCH = '/v2/batch/scrape';
const PAGES = 30;

let database: Awaited<ReturnType<typeof openEmptyDatabase>>;
let proxy: FaultyProxy;
let databaseUrl = '';
beforeAll(async () => {
  database = await openEmptyDatabase();
  const url = new URL(database.url);
  // Without the directory of the socket, the connection is one of TCP.
  url.search = '';
  proxy = await startFaultyProxy(Number(url.port));
  url.port = String(proxy.port);
  databaseUrl = url.href;
});
const service = useService(() => ({ DATABASE_URL: databaseUrl }));
afterAll(async () => {
  await proxy.close();
  await database[Symbol.asyncDispose]();
});

it.each<[string, NetworkFault, string[]]>([
  ['is cut', { kind: 'cut' }, ['SERVICE_UNAVAILABLE']],
  ['hangs', { kind: 'hang' }, []],
])(
  'when it %s, scrapes get a response with a code or their page, and a batch has each page once',
  async (_how, fault, codes) => {
    await using pages = await startPages(
      Object.fromEntries(
        Array.from({ length: PAGES + 1 }, (_, page) => [`/${page}`, `<main><p>Page ${page}</p></main>`]),
      ),
    );
    const { url, key } = service;
    const credits = async () =>
      (await call('/v2/team/credit-usage/historical', { url, key })).body.periods.reduce(
        (sum: number, { totalCredits }: { totalCredits: number }) => sum + totalCredits,
        0,
      );
    const before = await credits();
    const urls = Array.from({ length: PAGES }, (_, page) => `${pages.url}/${page}`);
    const id = await startJob(BATCH, { urls, maxAge: 0, maxConcurrency: 2 }, { url, key });
    await untilStatus(`${BATCH}/${id}`, ({ completed }) => completed > 0, { url, key });
    proxy.begin(fault);
    const scraped = call('/v2/scrape', { url, key, body: { url: `${pages.url}/${PAGES}`, maxAge: 0 } });
    if (fault.kind === 'cut') await scraped;
    else await pollUntil(() => proxy.held > 1);
    proxy.end();
    const { status, body } = await scraped;
    expect(status === 200 ? [] : [body.code]).toEqual(codes);
    const { status: end, completed, data } = await finished(BATCH, id, { url, key });
    expect([end, completed]).toEqual(['completed', PAGES]);
    expect(
      new Set(data.map(({ metadata }: { metadata: { sourceURL: string } }) => metadata.sourceURL)),
    ).toEqual(new Set(urls));
    const price = PAGES + (status === 200 ? 1 : 0);
    await pollUntil(async () => (await credits()) === before + price);
  },
);
