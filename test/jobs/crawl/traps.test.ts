import { describe, expect, it } from 'vitest';
import { createTrapGuard } from '../../../src/jobs/crawl/traps/trap-guard.ts';

const HOST = 'https://example.com';
const guard = () => createTrapGuard({ now: new Date('2026-11-21T00:00:00Z') });
const admits = (path: string) => guard().admits(HOST + path);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const hex = (seed: number) =>
  `${(BigInt(seed + 1) * 0x9e3779b97f4a7c15n).toString(16).padStart(16, 'a').slice(0, 15)}a1b`;

/** How many of the addresses get through one guard, and what it says of the others. */
function walk(paths: Iterable<string>): { admitted: number; trapped: Record<string, number> } {
  const one = guard();
  let admitted = 0;
  for (const path of paths) if (one.admits(HOST + path)) admitted++;
  return { admitted, trapped: Object.fromEntries(one.trapped) };
}

describe('a single URL', () => {
  it.each([
    '/calendar/2031/07/',
    '/calendar/2031/07/12',
    '/events/1970/01',
    '/events/2031-07/',
    '/reservations/room/5/2031-07-12',
    '/timetable/2031-07-12?view=day',
    '/?month=2031-07',
    '/?date=2031-07-12',
    '/?date=12.07.2031',
    '/?date=20310712',
    '/?date=1931-07-12',
    '/?week=2031-W30',
    '/?start_date=2031-07-12T10:00',
    '/?filter[startDate]=2031-07-12',
    '/?tribe-bar-date=2031-07',
    '/?from=2031-07-12',
    '/calendar/view.php?view=month&time=1941234567',
    '/?year=2031&month=7',
    '/?y=1931&m=7',
    '/a/b/a/b/a/b',
    '/shop/about/about/about/about',
    '/x/y/z/x/y/z/x/y/z/',
    '/en/a/en/b/en/c/en/d/en',
    `/${'deep/er/'.repeat(11)}`,
    `/${range(1, 21).join('/')}`,
    `/?q=${'a'.repeat(2_000)}`,
  ])('%s is refused', (path) => {
    expect(admits(path)).toBe(false);
  });

  it.each([
    '/',
    '/calendar/2026/12/',
    '/calendar/2028/10/',
    '/calendar/2031/07/12/the-big-event',
    '/2031/07/12/a-title',
    '/2031/07/',
    '/archive/1851/09/18/',
    '/1931/07/12/',
    '/forum/2100/2',
    '/item/5000-12',
    '/products/20310712',
    '/events/2024/05/12',
    '/calendar/5000/12',
    '/?released=1950-01-01',
    '/?from=1950-01-01',
    '/?date=2024-05-12',
    '/?date=today',
    '/?tag=20310712',
    '/?id=20310712',
    '/?year=2050',
    '/?p=12345678',
    '/tiles/0/0/0/0',
    '/a/a/a',
    '/a/b/a/b',
    '/de/produkte/de/produkte',
    '/s/s/x/s/s',
    `/${range(1, 20).join('/')}`,
    `/item/${hex(1)}`,
    `/?q=${'a'.repeat(1_900)}`,
    'no-address',
  ])('%s is admitted', (path) => {
    expect(admits(path)).toBe(true);
  });
});

describe('a long series', () => {
  it.each([
    ['articles', range(1, 100_000).map((n) => `/article/${n}`)],
    ['pages of a list', range(1, 5_000).map((n) => `/page/${n}`)],
    ['things of a shop', range(1, 10_000).map((n) => `/shop?id=${n}`)],
    [
      'things with a category and a language',
      range(1, 10_000).map((n) => `/?id=${n}&cat=${n % 30}&lang=${n % 3}`),
    ],
    ['lists with pages', range(1, 8_000).map((n) => `/list?cat=${n % 80}&page=${Math.floor(n / 80)}`)],
    [
      'posts by day',
      range(1, 20_000).map(
        (n) => `/${2000 + (n % 26)}/${String(1 + (n % 12)).padStart(2, '0')}/${1 + (n % 28)}/post-${n}`,
      ),
    ],
    ['documents by hash', range(1, 10_000).map((n) => `/doc/${hex(n)}`)],
    [
      'people with some pages each',
      range(1, 10_000).flatMap((n) => ['posts', 'likes', 'info'].map((tab) => `/u/${hex(n)}/${tab}`)),
    ],
    [
      'variants of many things',
      range(1, 20_000).map(
        (n) => `/p/thing-${n % 1_000}?color=${n % 7}&size=${n % 5}&fit=${n % 3}&lang=${n % 2}`,
      ),
    ],
  ])('of %s is admitted to its end', (_, paths) => {
    expect(walk(paths)).toEqual({ admitted: paths.length, trapped: {} });
  });

  it('of calendar pages is cut off', () => {
    const days = range(0, 20_000).map((n) => new Date(Date.UTC(2000, 0, 1 + n)).toISOString().slice(0, 10));
    expect(walk(days.map((day) => `/rooms?date=${day}`))).toEqual({
      admitted: 5_000,
      trapped: {
        'example.com/rooms: a calendar of more than 5000 pages': expect.any(Number),
        'example.com/rooms: a calendar far from today': expect.any(Number),
      },
    });
  });

  it('of combined filters is cut off, and single filters are not', () => {
    const paths = range(0, 39_999).map(
      (n) =>
        `/shop/${n % 4}?color=${n % 10}&size=${Math.floor(n / 10) % 10}&brand=${Math.floor(n / 100) % 20}&sort=${n % 3}`,
    );
    const { admitted, trapped } = walk(paths);
    expect(trapped).toEqual({ 'example.com/shop/{n}: combinations of filters': 40_000 - admitted });
    expect(admitted).toBe(5_001);
    const one = guard();
    for (const path of paths) one.admits(HOST + path);
    expect(one.admits(`${HOST}/shop/1?color=3`)).toBe(true);
    expect(one.admits(`${HOST}/shop/1?color=3&size=4`)).toBe(true);
    expect(one.admits(`${HOST}/shop/1?color=3&size=4&brand=5`)).toBe(false);
    expect(one.admits(`${HOST}/blog?color=3&size=4&brand=5`)).toBe(true);
  });

  it('of session ids in the path is cut off', () => {
    const named = range(1, 1_000).map((n) => `/about;jsessionid=${hex(n)}`);
    expect(walk(named)).toEqual({
      admitted: 200,
      trapped: { 'example.com/{session}: session IDs in the path': 800 },
    });
    const pages = 'abcdefghijklmnopqrstuvwxyz'.split('');
    const looks = range(1, 1_000).flatMap((n) => pages.map((page) => `/${hex(n)}/${page}`));
    const { admitted, trapped } = walk(looks);
    expect(admitted).toBe(500 * pages.length);
    expect(trapped['example.com/{id}/a: probable session IDs in the path']).toBe(500);
  });
});

it('the report of refused URLs is short and needs little memory', () => {
  const one = guard();
  for (const n of range(1, 200)) one.admits(`${HOST}/x/${'up/'.repeat(n + 4)}`);
  expect([...one.trapped]).toEqual([
    ['example.com/x/up/up/…: folders that repeat', 15],
    ['example.com/x/up/up/…: deeper than 20 folders', 185],
  ]);
  for (const n of range(1, 1_000)) one.admits(`https://host-${n}.example/calendar/2031/07`);
  expect(one.trapped.size).toBeLessThanOrEqual(51);
  expect(one.trapped.get('other URLs')).toBe(952);
});
