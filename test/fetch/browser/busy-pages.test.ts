import { expect, it } from 'vitest';
import { BusyPages } from '../../../src/fetch/browser/chromium/busy-pages.ts';
import type { BrowserProcess } from '../../../src/fetch/browser/chromium/process-memory.ts';

/** Pages with the priorities that they have been given, and a function that lets them take processor time. */
function open() {
  const given: string[] = [];
  const pages = new BusyPages({
    ofPage: (pid, niceness) => void given.push(`page ${pid}: ${niceness}`),
    ofBrowser: (niceness) => void given.push(`browser: ${niceness}`),
  });
  const page = (id: number, cpuTime: number): BrowserProcess => ({ id, type: 'renderer', cpuTime });
  return { given, note: pages.note.bind(pages), page };
}

it('a page that takes less than a tenth of a processor keeps its priority for as long as it is open', () => {
  const { given, note, page } = open();
  for (let second = 0; second <= 600; second++) note([page(1, 0.09 * second)], second * 1000);
  expect(given).toEqual([]);
});

it('a page that takes two seconds at once keeps its priority, and one that takes more gives way', () => {
  const { given, note, page } = open();
  for (let second = 0; second <= 30; second++)
    note([page(1, Math.min(second, 2)), page(2, second / 2)], second * 1000);
  expect(new Set(given)).toEqual(new Set(['page 2: 10', 'browser: 5']));
  expect(given.indexOf('browser: 5')).toBe(1);
});

it('time that a process took before it was first seen is that of no page', () => {
  const { given, note, page } = open();
  note([page(1, 50)], 0);
  note([page(1, 51), { id: 2, type: 'browser', cpuTime: 900 }], 1000);
  expect(given).toEqual([]);
});

it('the browser has its usual priority again when its busy pages have ended', () => {
  const { given, note, page } = open();
  for (let second = 0; second <= 3; second++) note([page(1, second)], second * 1000);
  note([], 4000);
  note([page(1, 0)], 5000);
  expect(given).toEqual(['page 1: 10', 'browser: 5', 'browser: 0']);
});
