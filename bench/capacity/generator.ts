import { LOADS, type LoadName } from './loads/index.ts';
import type { SharedParts } from './loads/load.ts';

/** What a generator is started with. */
export interface GeneratorTask {
  load: LoadName;
  parts: SharedParts;
}

/** A request to a generator: to have so many workers, or to close. Without either, it only counts. */
export interface GeneratorRequest {
  workers?: number;
  close?: boolean;
}

/** The response to each request: the operations since the start, or what failed. */
export interface GeneratorResponse {
  done: number;
  failure?: string;
}

/** Simulates workers, as many as it is told to, until it is told to close. */
async function generate({ load: name, parts }: GeneratorTask): Promise<void> {
  const load = await LOADS[name].open(parts);
  const workers: Promise<void>[] = [];
  let done = 0;
  let isClosing = false;
  let failure: string | undefined;
  const fail = (error: unknown) => {
    failure ??= error instanceof Error ? (error.stack ?? error.message) : String(error);
  };
  const addWorker = async () => {
    const work = await load.addWorker(workers.length);
    const run = async () => {
      while (!isClosing) done += await work();
    };
    workers.push(run().catch(fail));
  };
  const respond = () => process.send?.({ done, ...(failure !== undefined && { failure }) });
  process.on('message', async (request: GeneratorRequest) => {
    try {
      while (workers.length < (request.workers ?? 0)) await addWorker();
      if (request.close) {
        isClosing = true;
        await Promise.all(workers);
        await load.close();
      }
    } catch (error) {
      fail(error);
    }
    respond();
    if (request.close) process.disconnect();
  });
  respond();
}

process.once('disconnect', () => process.exit());
// `startGenerators` passes this argument.
await generate(JSON.parse(process.argv[2]!) as GeneratorTask);
