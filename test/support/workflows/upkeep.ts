import { connectTemporal } from '../../../src/temporal/connection.ts';
import { startUpkeep } from '../../../src/temporal/workflow-client.ts';

/** Starts the next round of upkeep now. @param temporalAddress that of the service */
export async function runUpkeep(temporalAddress: string): Promise<void> {
  const connection = await connectTemporal(temporalAddress);
  await startUpkeep(connection, 'default');
  await connection.close();
}
