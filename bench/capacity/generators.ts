import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { GeneratorRequest, GeneratorResponse, GeneratorTask } from './generator.ts';
import type { LoadName } from './loads/index.ts';
import type { SharedParts } from './loads/load.ts';

/** The processes that simulate workers of one kind of load. */
export interface Generators {
  /** Has so many workers in all, which are shared out among the processes. */
  setWorkers(count: number): Promise<void>;
  /** Counts the operations since the start. */
  count(): Promise<number>;
  close(): Promise<void>;
}

/** Starts one process for each of the given parts. @throws Error with what failed in one of them */
export async function startGenerators(load: LoadName, parts: SharedParts[]): Promise<Generators> {
  const children = parts.map((each) => {
    const task: GeneratorTask = { load, parts: each };
    return fork(new URL('./generator.ts', import.meta.url), [JSON.stringify(task)]);
  });
  await Promise.all(children.map(receive));
  const ask = (requests: GeneratorRequest[]) =>
    Promise.all(
      children.map((child, index) => {
        const response = receive(child);
        child.send(requests[index]!);
        return response;
      }),
    );
  const askAll = (request: GeneratorRequest) => ask(children.map(() => request));
  return {
    async setWorkers(count) {
      const share = (index: number) => Math.ceil((count - index) / children.length);
      await ask(children.map((_, index) => ({ workers: Math.max(0, share(index)) })));
    },
    async count() {
      const responses = await askAll({});
      return responses.reduce((sum, { done }) => sum + done, 0);
    },
    async close() {
      const exits = children.map((child) => once(child, 'exit'));
      await askAll({ close: true });
      await Promise.all(exits);
    },
  };
}

async function receive(child: ChildProcess): Promise<GeneratorResponse> {
  const ended = new AbortController();
  const exit = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`a generator ended with ${code}`);
  });
  exit.catch(() => undefined);
  // Generators send nothing but responses.
  const [response] = (await Promise.race([once(child, 'message'), exit])) as [GeneratorResponse];
  ended.abort();
  if (response.failure !== undefined) throw new Error(response.failure);
  return response;
}
