import { describe, expect, it } from 'vitest';
import {
  DEPRECATIONS,
  type Deprecated,
  deprecationHeaders,
  overdueDeprecations,
} from '../../src/api/http/deprecations.ts';
import { ROUTES } from '../../src/api/routes.ts';
import { V1_ROUTES } from '../../src/api/v1/routes.ts';

const ENDING: Deprecated = { since: '2026-03-01', sunset: { date: '2027-01-15', version: '1.10.0' } };

describe('what is deprecated', () => {
  it('says since when, until when, and what takes its place', () => {
    expect(deprecationHeaders(ENDING, '/v2/agent')).toEqual({
      Deprecation: '@1772323200',
      Sunset: 'Fri, 15 Jan 2027 00:00:00 GMT',
      Link: '</v2/agent>; rel="successor-version"',
    });
    expect(Object.keys(deprecationHeaders({ since: '2026-03-01' }, '/v2/agent'))).not.toContain('Sunset');
  });

  it('ends after it is deprecated, and is used by a route', () => {
    const used = new Set([...ROUTES, ...V1_ROUTES].flatMap(({ deprecation }) => deprecation?.of ?? []));
    expect([...used].sort()).toEqual(Object.keys(DEPRECATIONS).sort());
    for (const { since, sunset } of Object.values<Deprecated>({ ...DEPRECATIONS, ENDING }))
      if (sunset) expect(Date.parse(sunset.date)).toBeGreaterThan(Date.parse(since));
  });

  it('is all of version 1, each route with the path of version 2 that takes its place', () => {
    const paths = new Set(ROUTES.map(({ path }) => path));
    expect(V1_ROUTES.filter(({ deprecation }) => !paths.has(deprecation?.replacement ?? ''))).toEqual([]);
  });

  it('must be gone from the version on that was announced', () => {
    const deprecations = { ending: ENDING, staying: { since: '2026-03-01' } as const };
    expect(overdueDeprecations('1.9.3', deprecations)).toEqual([]);
    expect(overdueDeprecations('1.10.0', deprecations)).toEqual(['ending']);
    expect(overdueDeprecations('2.0.0', deprecations)).toEqual(['ending']);
  });
});
