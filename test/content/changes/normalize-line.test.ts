import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeFingerprint } from '../../../src/content/changes/fingerprint.ts';
import { normalizeLine } from '../../../src/content/changes/normalize-line.ts';

/** Differences between two versions of a page that are ignored, and differences that count. */

const isSame = (before: string, after: string) =>
  computeFingerprint(before).equals(computeFingerprint(after));

describe('equal lines:', () => {
  const pairs: [name: string, before: string, after: string][] = [
    ['blanks within a line', 'a  b\tc', 'a b c'],
    ['blanks at its ends', '  a ', 'a'],
    ['a blank that does not break', 'a\u00a0b', 'a b'],
    ['empty lines', '# A\n\n\n\nb', '# A\n\nb\n'],
    ['invisible characters', 'pass\u00adword\u200b', 'password'],
    ['composed characters', 'cafe\u0301', 'café'],

    ['minutes ago', 'Posted 3 minutes ago by Ann', 'Posted 47 minutes ago by Ann'],
    ['another unit', 'Updated 59 min ago', 'Updated about an hour ago'],
    ['a short form', '5m ago', '2h ago'],
    ['just now', 'just now', '1 minute ago'],
    ['German', 'vor 3 Minuten', 'vor einer Stunde'],
    ['French', 'il y a 2 heures', 'il y a une semaine'],
    ['Spanish', 'hace 3 días', 'hace 2 semanas'],
    ['Portuguese', 'há 3 dias', 'há 2 meses'],
    ['Italian', '5 minuti fa', '2 ore fa'],
    ['Dutch', '5 minuten geleden', '2 uur geleden'],
    ['Japanese', '3分前', '2時間前'],
    ['Chinese', '3 分钟前', '2 小时前'],
    ['Korean', '3분 전', '2시간 전'],
    ['how long the server took', 'Page rendered in 0.034 seconds', 'Page rendered in 1.2 s'],

    ['views', '1,234 views', '1,302 views'],
    ['short counts', '12.3k likes · 1 comment', '12.4k likes · 25 comments'],
    ['a count behind its name', 'Comments (7)', 'Comments (12)'],
    ['a bold count', '**1,234** views', '**1,302** views'],
    ['one behind a bold name', '**Views:** 12', '**Views:** 15'],
    ['another one', 'Followers: 1.204', 'Followers: 1.377'],
    ['visitors online', '31 people are viewing this', '7 people are viewing this'],

    ['a token', '[Buy](https://a.test/b?id=1&csrf_token=xyz)', '[Buy](https://a.test/b?id=1&csrf_token=abc)'],
    ['a nonce', '[Go](https://a.test/?_wpnonce=5f3)', '[Go](https://a.test/?_wpnonce=9c1)'],
    ['a token first', '[Go](https://a.test/?authenticity_token=q%3D&p=2)', '[Go](https://a.test/?p=2)'],
    [
      'a token behind parentheses',
      '[Go](https://a.test/Shell_(computing)?session_token=0123456789abcdef0 "Shell (computing)")',
      '[Go](https://a.test/Shell_(computing)?session_token=fedcba98765432100 "Shell (computing)")',
    ],
    [
      'the token of a session',
      '[Go](https://a.test/?session_token=0123456789abcdef0)',
      '[Go](https://a.test/?session_token=fedcba98765432100)',
    ],
    [
      'an opaque token',
      '[Go](https://a.test/?token=0123456789abcdef0)',
      '[Go](https://a.test/?token=fedcba98765432100)',
    ],
    ['a session', '[Go](https://a.test/?PHPSESSID=a1&p=2)', '[Go](https://a.test/?PHPSESSID=b2&p=2)'],
    [
      'a session in the path',
      '[Go](https://a.test/x;jsessionid=A1?p=2)',
      '[Go](https://a.test/x;jsessionid=B2?p=2)',
    ],
    [
      'an opaque sid',
      '[Go](https://a.test/?sid=0123456789abcdef)',
      '[Go](https://a.test/?sid=fedcba9876543210)',
    ],
    ['trackers', '[Go](https://a.test/?utm_source=a&fbclid=x1)', '[Go](https://a.test/)'],
    [
      'a buster',
      '![x](https://a.test/i.php?id=3&_=1700000000)',
      '![x](https://a.test/i.php?id=3&_=1700009999)',
    ],
    ['a random number', '![x](https://a.test/i?r=0.48382)', '![x](https://a.test/i?r=0.11111)'],
    ['a bare number', '![x](https://a.test/i.png?1700000000)', '![x](https://a.test/i.png?1700009999)'],
    ['the version of a picture', '![x](https://a.test/i.png?v=2)', '![x](https://a.test/i.png?v=3)'],
    ['a machine’s version', '[x](https://a.test/?v=3f2a9c01)', '[x](https://a.test/?v=77aa9c02)'],
    [
      'a signature',
      '![x](https://s3.test/i.png?X-Amz-Date=20260101T000000Z&X-Amz-Signature=aa)',
      '![x](https://s3.test/i.png?X-Amz-Date=20260102T000000Z&X-Amz-Signature=bb)',
    ],
    [
      'an address with parentheses',
      '[x](https://a.test/b_\\(c\\)?cb=1&p=2)',
      '[x](https://a.test/b_\\(c\\)?cb=2&p=2)',
    ],
  ];
  it.each(pairs)('%s: %j and %j', (_name, before, after) => {
    expect(before).not.toBe(after);
    expect(isSame(before, after)).toBe(true);
  });
});

describe('different lines:', () => {
  const pairs: [name: string, before: string, after: string][] = [
    ['a word', 'a b', 'a c'],
    ['a joined word', 'a b', 'ab'],
    ['the order of lines', 'a\nb', 'b\na'],
    ['the order of signs', '12', '21'],
    ['capitals', 'sale', 'Sale'],
    ['a price', '$12.00', '$13.00'],
    ['stock', 'Only 3 left', 'Only 2 left'],
    ['a rating', '4.5 stars', '4.6 stars'],
    ['votes', '120 votes', '130 votes'],
    ['a date', 'Updated 2026-01-01', 'Updated 2026-01-02'],
    ['a time of day', 'Starts at 14:00', 'Starts at 15:00'],
    ['a duration', 'takes 3 minutes', 'takes 4 minutes'],
    ['a future', 'in 3 days', 'in 4 days'],
    [
      'a count that is told',
      `The campaign, which nobody had expected to last for more than a week, brought 1,000 visitors to ${'the old town '.repeat(3)}`,
      `The campaign, which nobody had expected to last for more than a week, brought 9,000 visitors to ${'the old town '.repeat(3)}`,
    ],
    ['where a link leads', '[x](https://a.test/1)', '[x](https://a.test/2)'],
    ['a parameter', '[x](https://a.test/?id=1)', '[x](https://a.test/?id=2)'],
    ['a video', '[x](https://y.test/watch?v=dQw4w9WgXcQ)', '[x](https://y.test/watch?v=aaaaaaaaaaa)'],
    ['a version that is read', '[x](https://a.test/api?version=2)', '[x](https://a.test/api?version=3)'],
    ['a story called sid', '[x](https://a.test/?sid=42)', '[x](https://a.test/?sid=43)'],
    ['another picture', '![x](https://a.test/i.php?id=3)', '![x](https://a.test/i.php?id=4)'],
    ['a token that is a word', '[x](https://a.test/?token=basic)', '[x](https://a.test/?token=premium)'],
    ['a fragment', '[x](https://a.test/#a)', '[x](https://a.test/#b)'],
  ];
  it.each(pairs)('%s: %j and %j', (_name, before, after) => {
    expect(isSame(before, after)).toBe(false);
  });
});

describe('a normalized line', () => {
  it('does not change when it is normalized again', () => {
    const part = fc.constantFrom(
      '3 minutes ago',
      '12 views',
      'https://a.test/?cb=1&a=2',
      'x',
      '\\(',
      ' ',
      '](',
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const once = normalizeLine(parts.join(' '));
        expect(normalizeLine(once)).toBe(once);
      }),
    );
  });
});
