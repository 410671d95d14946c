import type { NativeConnection } from '@temporalio/worker';
import { expect, it, vi } from 'vitest';
import { Temporal } from '../../src/temporal/workflow-client.ts';
import { pollUntil } from '../support/suite/poll.ts';

const START = { teamId: 'team', timeoutMs: 30_000 };
const START_COUNT = 100;

/** A connection to a server whose calls end when `end` is called. */
function slowServer() {
  const open: (() => void)[] = [];
  const withDeadline = vi.fn(() => new Promise<void>((resolve) => open.push(resolve)));
  // Only calls with a deadline are made.
  const connection = { withDeadline, plugins: [] } as unknown as NativeConnection;
  return { temporal: new Temporal(connection, 'default'), open, withDeadline };
}

it('a rush of scrapes is started a few at a time, so that the server keeps up with those that have a deadline', async () => {
  const { temporal, open, withDeadline } = slowServer();
  const started = Promise.all(
    Array.from({ length: START_COUNT }, (_, index) =>
      temporal.startScrape({ ...START, jobId: String(index) }),
    ),
  );
  let calls = 0;
  while (calls < START_COUNT) {
    await pollUntil(() => open.length > 0);
    expect(open.length).toBeLessThanOrEqual(16);
    calls += open.length;
    for (const end of open.splice(0)) end();
  }
  await started;
  expect(withDeadline).toHaveBeenCalledTimes(START_COUNT);
});

it('a scrape that waits for others to be started can be taken back, and fails as unavailable after its timeout', async () => {
  const { temporal, withDeadline } = slowServer();
  for (let index = 0; index < 16; index++) void temporal.startScrape({ ...START, jobId: String(index) });
  const ended = new AbortController();
  const takenBack = temporal.startScrapeHere({ ...START, jobId: 'a' }, ended.signal);
  ended.abort();
  await expect(takenBack).rejects.toBe(ended.signal.reason);
  const late = temporal.startScrape({ ...START, jobId: 'b', timeoutMs: 1 });
  await expect(late).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(withDeadline).toHaveBeenCalledTimes(16);
});
