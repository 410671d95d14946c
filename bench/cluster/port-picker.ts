import { randomInt } from 'node:crypto';
import { isPortFree } from '../../src/embedded/ports.ts';

/** Gives a free port of loopback. */
export type PickPort = () => Promise<number>;

/**
 * Every call gives another free port: below 32768, because Temporal's tables keep its own ports in 16 bits with a sign,
 * and because the system gives those above to outgoing connections while a part is down.
 */
export function createPortPicker(): PickPort {
  const given = new Set<number>();
  return async () => {
    for (;;) {
      const port = randomInt(10_000, 32_768);
      if (given.has(port) || !(await isPortFree(port, '127.0.0.1'))) continue;
      given.add(port);
      return port;
    }
  };
}
