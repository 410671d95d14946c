import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { requireSpeed } from '../../src/api/http/upload-speed.ts';

/** The bound on slow uploads. */

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** An upload that sends as many bytes each second, until it is ended. */
function upload(bytesPerSecond: number) {
  const socket = { bytesRead: 1_000_000 };
  const { promise, resolve } = Promise.withResolvers<string>();
  const outcome = requireSpeed(socket, () => promise).catch((error: { code: string }) => error.code);
  return {
    outcome,
    async send(seconds: number) {
      for (let second = 0; second < seconds; second++) {
        socket.bytesRead += bytesPerSecond;
        await vi.advanceTimersByTimeAsync(1_000);
      }
      resolve('received');
    },
  };
}

it('an upload of half a megabit per second may take minutes', async () => {
  const { outcome, send } = upload(64 * 1024);
  await send(280);
  expect(await outcome).toBe('received');
  expect(vi.getTimerCount()).toBe(0);
});

it('an upload that is slower is ended soon after its first seconds', async () => {
  const { outcome, send } = upload(1_000);
  await send(25);
  expect(await outcome).toBe('UPLOAD_TOO_SLOW');
  expect(vi.getTimerCount()).toBe(0);
});
