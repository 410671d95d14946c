import { describe, expect, it } from 'vitest';
import { compileUrlPatterns } from '../../src/patterns/url-patterns.ts';

const SITE = 'https://site.test';

describe('URLs are compared with patterns', () => {
  // 906 steps, which each character of a path of these letters may take.
  const matcher = compileUrlPatterns({ includePaths: ['[ab]*a[ab]{900}[c-z]', 'short'] });
  const long = `${SITE}/${'ab'.repeat(500)}`;
  const longer = `${SITE}/${'ab'.repeat(600)}`;
  const urls = [longer, `${SITE}/short`, long, `${SITE}/other`];

  it('in steps that grow with the patterns and with the texts', () => {
    const once = matcher.countSteps([long]);
    expect(once).toBeGreaterThan(906 * 1_000);
    expect(matcher.countSteps([long, long])).toBe(2 * once);
    expect(
      compileUrlPatterns({ includePaths: ['a'], regexOnFullURL: true }).countSteps([long]),
    ).toBeGreaterThan(compileUrlPatterns({ includePaths: ['a'] }).countSteps([long]));
  });

  it('the shortest first, until the steps are used up', () => {
    const steps = matcher.countSteps(urls) - 1;
    const verdicts = matcher.match(urls, { steps, processorMs: 0 });
    expect(verdicts).toEqual(['unmatched', undefined, 'notIncluded', 'notIncluded']);
  });

  it('for as long as there is processor time, except for a URL that takes too many steps by itself', () => {
    const steps = matcher.countSteps([long]);
    const verdicts = matcher.match([...urls, long, long], { steps, processorMs: Number.POSITIVE_INFINITY });
    expect(verdicts).toEqual([
      'unmatched',
      undefined,
      'notIncluded',
      'notIncluded',
      'notIncluded',
      'notIncluded',
    ]);
  });
});
