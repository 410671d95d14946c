import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { freeDescriptors } from '../system/descriptors.ts';
import { availableMemory, memoryLimit } from '../system/memory.ts';

/** Options of {@link SessionRoom}. */
export interface SessionRoomOptions {
  /** The memory in bytes that new processes may use; by default the system is asked. */
  availableMemory?(): number;
  /** The file descriptors that this process can still open; by default the system is asked. */
  availableDescriptors?(): number;
  /** How long a session waits until there is room for it, in milliseconds; 40 seconds by default. */
  roomWaitMs?: number;
}

const MEGABYTE = 1024 * 1024;
/** Free memory in bytes that a further session needs: 400 MiB, on a small machine a quarter of all that it has. */
const SESSION_MEMORY_BYTES = Math.min(400 * MEGABYTE, memoryLimit() / 4);
/**
 * Free file descriptors that a further session needs: a browser uses a few dozens, with clients, programs and
 * connections of its pages up to some hundreds.
 */
const SESSION_DESCRIPTORS = 256;
/** What a session takes with a page of usual size and a program of JavaScript, in bytes. */
const USUAL_BYTES = 170 * MEGABYTE;
/** How long a session takes to use that memory, in milliseconds. */
const GROWTH_MS = 10_000;
/** Less than clients wait for a response by default. */
const WAIT_MS = 40_000;
const POLL_MS = 250;

/**
 * The memory and the file descriptors of a host for further sessions. Sessions that find too little wait for a
 * while, one after the other, because others end. One that has just begun counts with what it is going to use.
 */
export class SessionRoom {
  readonly #options: Required<SessionRoomOptions>;
  /** When sessions began that still grow, on the clock of `performance.now()`. */
  #begun: number[] = [];
  /** Settles when the session that waited last has begun, or was refused. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: SessionRoomOptions) {
    this.#options = {
      availableMemory,
      availableDescriptors: freeDescriptors,
      roomWaitMs: WAIT_MS,
      ...options,
    };
  }

  /** @returns what there is too little of for so many more sessions, if anything */
  missingFor(sessions: number): 'memory' | 'file descriptors' | undefined {
    const { availableMemory: memory, availableDescriptors: descriptors } = this.#options;
    const now = performance.now();
    this.#begun = this.#begun.filter((at) => now - at < GROWTH_MS);
    const growth = this.#begun.length * USUAL_BYTES;
    if (memory() - growth < sessions * SESSION_MEMORY_BYTES) return 'memory';
    return descriptors() < sessions * SESSION_DESCRIPTORS ? 'file descriptors' : undefined;
  }

  /**
   * Waits until there is room for a session, which begins then.
   * @param makeRoom ends something that a session takes precedence over; says whether there was anything
   * @throws ServiceError `SESSION_LIMIT_REACHED` if there is no room in time; what `makeRoom` throws
   */
  async enter(makeRoom: () => Promise<boolean>): Promise<void> {
    const until = performance.now() + this.#options.roomWaitMs;
    const turn = this.#turn.then(() => this.#waitUntil(until, makeRoom));
    // Whoever comes next waits for the end of this turn, however it ends.
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #waitUntil(until: number, makeRoom: () => Promise<boolean>): Promise<void> {
    for (let missing = this.missingFor(1); missing; missing = this.missingFor(1)) {
      if (await makeRoom()) continue;
      if (performance.now() >= until)
        throw new ServiceError(
          'SESSION_LIMIT_REACHED',
          `The host has not enough ${missing} for another browser session. Try again when one has ended.`,
        );
      await sleep(POLL_MS);
    }
    this.#begun.push(performance.now());
  }
}
