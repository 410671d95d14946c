import { randomInt } from 'node:crypto';
import { isPortFree } from '../../src/run/embedded/ports.ts';

/** Picks a free port of the loopback interface. */
export type PickPort = () => Promise<number>;

/**
 * Creates a function that returns a different free port each time. Ports are below 32768, because Temporal
 * stores its ports as signed 16-bit integers, and because the system uses higher ports for outgoing
 * connections while a process is down.
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
