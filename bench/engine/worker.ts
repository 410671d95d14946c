import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';

/**
 * A worker for the workflow `idle`, in a process of its own like the service's worker. Usage: node worker.ts
 * HOST:PORT
 */
Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect({
  address: process.argv[2] ?? '',
  grpcCompression: { codec: 'none' },
});
const worker = await Worker.create({
  connection,
  taskQueue: 'idle',
  workflowBundle: await bundleWorkflowCode({
    workflowsPath: new URL('./workflows.ts', import.meta.url).pathname,
    logger: new DefaultLogger('ERROR'),
  }),
  activities: { nothing: () => Promise.resolve() },
  maxCachedWorkflows: 200,
});
process.send?.('ready');
process.on('disconnect', () => worker.shutdown());
await worker.run();
await connection.close();
process.exit(0);
