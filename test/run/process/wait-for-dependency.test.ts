import { pino } from 'pino';
import { expect, test } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { waitForDependency } from '../../../src/run/process/wait-for-dependency.ts';
import { openDatabase } from '../../../src/storage/db/client.ts';
import { migrate } from '../../../src/storage/db/migrate.ts';
import { connectTemporal } from '../../../src/temporal/connection.ts';
import { reserveServerPort } from '../../support/network/server-port.ts';

const logger = pino({ level: 'silent' });

test('a start waits for a dependency until it responds', async () => {
  let asked = 0;
  const step = async () => {
    if (++asked < 3) throw new ServiceError('SERVICE_UNAVAILABLE', 'It is starting.');
    return 'there';
  };
  expect(await waitForDependency(step, logger)).toBe('there');
  expect(asked).toBe(3);
});

test('an error that is not an outage is not retried', async () => {
  let asked = 0;
  const step = async () => {
    asked++;
    throw new ServiceError('BAD_REQUEST', 'The password is wrong.');
  };
  await expect(waitForDependency(step, logger)).rejects.toThrow('The password is wrong.');
  expect(asked).toBe(1);
});

test('an unreachable database or Temporal server is reported as SERVICE_UNAVAILABLE', async () => {
  const { port, release } = await reserveServerPort();
  const db = openDatabase(`postgres://nobody@127.0.0.1:${port}/none`, () => undefined);
  await expect(migrate(db)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await expect(connectTemporal(`127.0.0.1:${port}`)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await db.close();
  release();
});
