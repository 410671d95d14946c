import { Client, type WorkflowHandle } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, inject } from 'vitest';
import { connectTemporal } from '../../../src/temporal/connection.ts';
import { type ServiceAccess, temporalAddressOf } from '../service/start-service.ts';

/** A connection to Temporal. */
export interface UsedTemporal {
  readonly connection: NativeConnection;
  readonly client: Client;
  /** A workflow, whether or not it exists. @param id such as `batch/<id of the job>` */
  workflow(id: string): WorkflowHandle;
}

/**
 * Connects a test file to the Temporal server of a service, by default of the shared one. The connection can be
 * used from the first `beforeAll` after `useTemporal` on, and closes after the last test.
 * @example
 * const temporal = useTemporal();
 * const history = await temporal.workflow(`batch/${id}`).fetchHistory();
 */
export function useTemporal(service?: Pick<ServiceAccess, 'dataDir'>): UsedTemporal {
  let opened: { connection: NativeConnection; client: Client } | undefined;
  beforeAll(async () => {
    const connection = await connectTemporal(temporalAddressOf(service ?? inject('service')));
    opened = { connection, client: new Client({ connection, namespace: 'default' }) };
  });
  afterAll(() => opened?.connection.close());
  const use = () => {
    if (!opened) throw new Error('The connection opens in a beforeAll hook and is not there yet.');
    return opened;
  };
  return {
    get connection() {
      return use().connection;
    },
    get client() {
      return use().client;
    },
    workflow: (id) => use().client.workflow.getHandle(id),
  };
}
