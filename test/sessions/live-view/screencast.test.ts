import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Session } from '../../../src/fetch/browser/chromium/cdp.ts';
import { Screencast } from '../../../src/sessions/live-view/screencast.ts';

/**
 * When the capture of a page is started again, by frames whose times are exact; what viewers see is tested
 * elsewhere.
 */

const LONG_MS = 10_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Captures a page whose commands are only counted. */
function startCapture() {
  const commands: string[] = [];
  const events = new EventEmitter();
  const send = async (method: string) => void commands.push(method);
  const screencast = new Screencast({ onFrame: () => undefined, isWanted: () => true });
  screencast.setRate(30);
  // It has what a screencast uses of a session.
  screencast.show(Object.assign(events, { send }) as unknown as Session);
  const metadata = { deviceWidth: 800, deviceHeight: 600, offsetTop: 0 };
  return {
    starts: () => commands.filter((method) => method === 'Page.startScreencast').length,
    /** Delivers a frame that was captured at a time in milliseconds. */
    deliver: (capturedAt: number) =>
      events.emit('Page.screencastFrame', {
        data: '',
        sessionId: 1,
        metadata: { ...metadata, timestamp: capturedAt / 1000 },
      }),
  };
}

it('a page whose last frames were captured before any of them was acknowledged is captured again, once', () => {
  const { deliver, starts } = startCapture();
  const capturedAt = Date.now();
  // A busy machine takes long to encode each of them.
  for (let frame = 0; frame < 3; frame++) {
    vi.advanceTimersByTime(100);
    deliver(capturedAt + frame);
  }
  vi.advanceTimersByTime(LONG_MS);
  expect(starts()).toBe(2);
  deliver(Date.now());
  vi.advanceTimersByTime(LONG_MS);
  expect(starts()).toBe(2);
});

it('a page that changes slowly is not captured again', () => {
  const { deliver, starts } = startCapture();
  for (let frame = 0; frame < 5; frame++) {
    vi.advanceTimersByTime(500);
    deliver(Date.now() - 50);
  }
  vi.advanceTimersByTime(LONG_MS);
  expect(starts()).toBe(1);
});
