import { setTimeout as sleep } from 'node:timers/promises';
import { lastOutputLines, runCommand } from '../../src/run/embedded/command.ts';
import { serviceOf } from '../../test/support/service/compose.ts';
import { environmentOf, type PlacedFile, place } from './places.ts';

/** Milliseconds that Docker waits before it restarts a container; doubled each time. */
const FIRST_DELAY_MS = 100;

/**
 * Runs a service of docker-compose.yml that ends by itself, with the command of the file, and restarts it as
 * often as its `restart: on-failure:N` allows.
 * @param options.path PATH with the programs of its image
 * @param options.note called when it is restarted
 * @throws Error with its last output
 */
export async function runJob(
  placed: PlacedFile,
  name: string,
  options: { path: string; signal?: AbortSignal | undefined; note: (text: string) => void },
): Promise<void> {
  const { entrypoint = [], command = [], restart = '' } = serviceOf(placed.file, name);
  const [program = '', ...args] = [...entrypoint, ...command].map((word) => place(word, placed));
  const settings = { ...environmentOf(placed, name), PATH: options.path };
  const starts = 1 + Number(/^on-failure:(\d+)$/.exec(restart)?.[1] ?? 0);
  for (let start = 1, delayMs = FIRST_DELAY_MS; ; start++, delayMs *= 2) {
    const result = await runCommand(program, args, { settings, signal: options.signal });
    if (result.exitCode === 0) return;
    if (start >= starts) {
      const code = result.exitCode ?? 'no such program';
      throw new Error(
        `${name} of docker-compose.yml failed ${starts} times (${code}):\n${lastOutputLines(result, 15)}`,
      );
    }
    options.note(`${name} failed and is started again: ${lastOutputLines(result, 1)}`);
    await sleep(delayMs, undefined, { signal: options.signal });
  }
}
