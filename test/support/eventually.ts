import { expect } from 'vitest';

/** Waits until what is read matches, which takes long on a busy machine. */
export const eventually: typeof expect.poll = (read) => expect.poll(read, { timeout: 30_000 });
