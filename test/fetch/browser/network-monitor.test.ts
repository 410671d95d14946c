import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { Session } from '../../../src/fetch/browser/chromium/cdp.ts';
import { NetworkMonitor } from '../../../src/fetch/browser/network/network-monitor.ts';

/** When a page counts as quiet, by events whose order is exact; real pages are tested through the API. */

const FRAME = 'main';

/** Watches a page whose events the test sends. */
function startMonitor() {
  const events = new EventEmitter();
  const monitor = new NetworkMonitor({ mainFrameId: FRAME, waitForVisuals: false });
  // It has what a monitor uses of a session.
  monitor.watch(events as unknown as Session);
  const askToNavigate = (change: object = {}) =>
    events.emit('Page.frameRequestedNavigation', { frameId: FRAME, disposition: 'currentTab', ...change });
  return {
    events,
    askToNavigate,
    isNavigating: () => monitor.isNavigating(),
    hasNoRequests: () => monitor.hasNoRequests(),
    isIdle: () => monitor.isIdle(),
    isQuiet: () => monitor.quietForMs(Number.POSITIVE_INFINITY) > 0,
  };
}

it('a page is not quiet from the moment when it asks to navigate, although the request comes later', () => {
  const { events, askToNavigate, isQuiet } = startMonitor();
  expect(isQuiet()).toBe(true);
  askToNavigate();
  expect(isQuiet()).toBe(false);
  const request = { method: 'GET', url: 'http://a.test/next' };
  const ids = { requestId: 'one', loaderId: 'one', frameId: FRAME };
  events.emit('Network.requestWillBeSent', { ...ids, type: 'Document', request });
  expect(isQuiet()).toBe(false);
  events.emit('Network.loadingFinished', { requestId: 'one' });
  expect(isQuiet()).toBe(true);
});

it('a page is quiet again when its navigation was given up', () => {
  const { events, askToNavigate, isQuiet } = startMonitor();
  askToNavigate();
  events.emit('Page.frameStoppedLoading', { frameId: FRAME });
  expect(isQuiet()).toBe(true);
});

it.each([
  ['a frame', { frameId: 'inner' }],
  ['another tab', { disposition: 'newTab' }],
])('a page is quiet although %s is to navigate', (_what, change) => {
  const { askToNavigate, isQuiet } = startMonitor();
  askToNavigate(change);
  expect(isQuiet()).toBe(true);
});

it('a page navigates until the document comes that it has asked for, or fails', () => {
  const { events, askToNavigate, isNavigating } = startMonitor();
  const request = { method: 'GET', url: 'http://a.test/next' };
  const ask = (requestId: string) => {
    askToNavigate();
    expect(isNavigating()).toBe(true);
    const ids = { requestId, loaderId: requestId, frameId: FRAME };
    events.emit('Network.requestWillBeSent', { ...ids, type: 'Document', request });
    expect(isNavigating()).toBe(true);
  };
  expect(isNavigating()).toBe(false);
  ask('one');
  const response = { status: 200, headers: {}, url: request.url };
  events.emit('Network.responseReceived', { requestId: 'one', type: 'Document', response });
  expect(isNavigating()).toBe(false);
  ask('two');
  events.emit('Network.loadingFailed', { requestId: 'two', errorText: 'net::ERR_ABORTED', canceled: true });
  expect(isNavigating()).toBe(false);
});

it('a page has requests while an image is open, which it is not waited for', () => {
  const { events, hasNoRequests, isIdle } = startMonitor();
  const request = { method: 'GET', url: 'http://a.test/image' };
  events.emit('Network.requestWillBeSent', { requestId: 'one', frameId: FRAME, type: 'Image', request });
  expect(isIdle()).toBe(true);
  expect(hasNoRequests()).toBe(false);
  events.emit('Network.loadingFinished', { requestId: 'one' });
  expect(hasNoRequests()).toBe(true);
});

it('a page is not idle while a stream of events is open', () => {
  const { events, hasNoRequests, isIdle } = startMonitor();
  const request = { method: 'GET', url: 'http://a.test/events' };
  events.emit('Network.requestWillBeSent', {
    requestId: 'one',
    frameId: FRAME,
    type: 'EventSource',
    request,
  });
  expect(isIdle()).toBe(false);
  expect(hasNoRequests()).toBe(false);
  events.emit('Network.loadingFailed', { requestId: 'one', errorText: 'net::ERR_ABORTED' });
  expect(isIdle()).toBe(true);
  expect(hasNoRequests()).toBe(true);
});
