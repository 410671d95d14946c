import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode, errorsRaisedBy, policyOf } from '../src/errors.ts';

const CODES = Object.keys(ERRORS) as ErrorCode[];

describe('the table of errors', () => {
  it.each(CODES)('gives %s an HTTP status and a sentence for the API reference', (code) => {
    const { status, summary } = policyOf(code);
    expect(status === 200 || (status >= 400 && status < 600)).toBe(true);
    expect(summary).toMatch(/^[A-Z].*[^.]$/);
  });

  it('bills failures only for host names that do not exist and lockdown misses', () => {
    expect(CODES.filter((code) => policyOf(code).credits)).toEqual([
      'SCRAPE_LOCKDOWN_CACHE_MISS',
      'SCRAPE_DNS_RESOLUTION_ERROR',
    ]);
  });

  it('tries a page again after faults that may pass, and never after those of the request', () => {
    expect(CODES.filter((code) => policyOf(code).retry === 'page')).toEqual([
      'SCRAPE_TIMEOUT',
      'SCRAPE_DNS_SERVER_ERROR',
      'SCRAPE_SITE_ERROR',
      'SCRAPE_ALL_ENGINES_FAILED',
      'INSUFFICIENT_MEMORY',
    ]);
    expect(CODES.filter((code) => policyOf(code).retry === 'activity')).toEqual([
      'WORKER_LOST',
      'UNKNOWN_ERROR',
      'SERVICE_UNAVAILABLE',
      'INSUFFICIENT_STORAGE',
    ]);
  });

  it('stops a whole job only where no page is to blame', () => {
    expect(CODES.filter((code) => policyOf(code).isJobWide)).toEqual([
      'ROBOTS_UNAVAILABLE',
      'SERVICE_UNAVAILABLE',
      'INSUFFICIENT_STORAGE',
    ]);
  });

  it('closes WebSockets with the codes that clients know', () => {
    expect(
      Object.fromEntries(
        CODES.flatMap((code) => [[code, policyOf(code).closeCode]]).filter(([, each]) => each),
      ),
    ).toEqual({
      BAD_REQUEST: 1008,
      UNAUTHORIZED: 3000,
      FORBIDDEN: 3003,
      NOT_FOUND: 1008,
      SOCKET_LIMIT_REACHED: 1013,
    });
  });

  it('lists the codes of several stages together', () => {
    expect(errorsRaisedBy('start', 'options')).toEqual([
      'FEATURE_NOT_AVAILABLE',
      'SCRAPE_ACTIONS_NOT_SUPPORTED',
      'SCRAPE_ZDR_VIOLATION_ERROR',
      'FORBIDDEN',
      'JOB_LIMIT_REACHED',
      'STORAGE_LIMIT_REACHED',
      'INSUFFICIENT_STORAGE',
    ]);
  });
});
