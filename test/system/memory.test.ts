import { totalmem } from 'node:os';
import { describe, expect, it } from 'vitest';
import {
  availableMemory,
  countMemoryKills,
  fitInMemory,
  hasLittleMemory,
  memoryLimit,
} from '../../src/system/memory.ts';

const GIGABYTE = 1024 ** 3;

describe('the memory of the machine or container', () => {
  it('is at most that of the machine, and some of it is in use', () => {
    expect(memoryLimit()).toBeGreaterThan(0);
    expect(memoryLimit()).toBeLessThanOrEqual(totalmem());
    expect(availableMemory()).toBeGreaterThan(0);
    expect(availableMemory()).toBeLessThan(memoryLimit());
    expect(countMemoryKills()).toBeGreaterThanOrEqual(0);
  });

  it('is little up to 2 GB', () => {
    expect([1, 2, 2.1].map((gigabytes) => hasLittleMemory(gigabytes * GIGABYTE))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it.each([
    [1, 1],
    [2, 2],
    [4, 6],
    [64, 8],
  ])('of %d GB has room for %d of what takes half a GB', (gigabytes, expected) => {
    expect(fitInMemory(8, { eachMb: 512, besideMb: 1024 }, gigabytes * GIGABYTE)).toBe(expected);
  });
});
