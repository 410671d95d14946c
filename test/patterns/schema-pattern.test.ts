import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compileSchemaPattern } from '../../src/patterns/schema-pattern.ts';

function matches(pattern: string, text: string): boolean {
  const compiled = compileSchemaPattern(pattern);
  if (typeof compiled === 'string') throw new Error(compiled);
  return compiled.matches(text);
}

describe('a pattern of a JSON Schema', () => {
  it.each([
    ['^a+$', 'aaa', 'aab'],
    ['b', 'abc', 'ac'],
    ['^\\d{4}-\\d{2}$', '2026-11', '202611'],
    ['^[\\w.+-]+@[\\w-]+\\.[\\w.]+$', 'a.b@c.de', 'a.b@c'],
    ['^\\u0041\\x42\\/$', 'AB/', 'ab/'],
    ['^\\p{Lu}+$', 'ÄÖ', 'äö'],
    ['^.$', '😀', 'ab'],
    ['^(?<year>\\d+)$', '2026', 'x'],
    ['^(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.\\d+){3}$', '192.168.0.1', '300.1.1.1'],
    ['^(?=.*\\d)(?=.*[A-Z]).{8,}$', 'abcdefG1', 'abcdefgh'],
    ['^(?=[^)]{1,3}$)[a(|)]+$', 'a(|', 'a(|)'],
    [
      "^(?!\\.)(?!.*\\.\\.)([\\w'+\\-\\.]*)[\\w+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
      'a.b@c.de',
      'a..b@c.de',
    ],
  ])('%s matches what a native regular expression matches', (pattern, yes, no) => {
    const native = new RegExp(pattern, 'u');
    expect([matches(pattern, yes), matches(pattern, no)]).toEqual([true, false]);
    expect([native.test(yes), native.test(no)]).toEqual([true, false]);
  });

  it('takes linear time where a native regular expression would never end', () => {
    expect(matches('^(a+)+$', `${'a'.repeat(100_000)}!`)).toBe(false);
    expect(matches('^(?=(?:a|a)*b)(?:a|a)*$', 'a'.repeat(100_000))).toBe(false);
  });

  it.each([
    ['(', /is no regular expression: .*Unterminated group/],
    ['(a)\\1', /back-reference, which cannot be matched in linear time/],
    ['(?<n>a)\\k<n>', /back-reference/],
    ['a(?=b)', /look-around that is not at its beginning/],
    ['(?<!a)b', /look-around/],
    ['^(?=a)b|c', /look-around/],
    ['^(?=a(?!b))a', /look-around/],
    ['[ab]{900}[ab]{900}[ab]{900}', /repeats too much/],
    ['\\p{Script=Greek}', /cannot be read/],
    ['a'.repeat(2_001), /has 2001 characters/],
  ])('%s is refused with the reason', (pattern, reason) => {
    expect(compileSchemaPattern(pattern)).toMatch(reason);
  });

  it.each([
    z.regexes.email,
    z.regexes.hostname,
    z.regexes.domain,
    z.regexes.ipv4,
    z.regexes.ipv6,
    z.regexes.cidrv6,
    z.regexes.uuid(4),
    z.regexes.datetime({}),
    z.regexes.date,
    z.regexes.e164,
  ])('that zod writes can be used: %s', ({ source }) => {
    expect(compileSchemaPattern(source)).toBeTypeOf('object');
  });
});
