import { describe, expect, it } from 'vitest';
import { withoutImages, withoutLinkTargets } from '../../../src/jobs/monitors/link-targets.ts';

describe('withoutLinkTargets', () => {
  it.each([
    ['[a](https://a.test/1) and [b](/2)', '[a] and [b]'],
    ['[a](https://a.test/1 "A title")', '[a]'],
    ['[a](<https://a.test/a b>)', '[a]'],
    ['[a](https://a.test/x_(y)) rest', '[a]) rest'],
    ['[a]()', '[a]'],
    ['[![a](/a.png)](/b)', '[![a]]'],
    ['](a](b)', ']'],
    [`[a](/${'x'.repeat(3_999)})`, '[a]'],
    [`[a](/${'x'.repeat(4_500)})`, `[a](/${'x'.repeat(4_500)})`],
    [`[a](/ ${'x'.repeat(499)})`, '[a]'],
    [`[a](/ ${'x'.repeat(500)}) [b](c)`, `[a](/ ${'x'.repeat(500)}) [b]`],
    ['[a](no end', '[a](no end'],
    ['', ''],
  ])('leaves out where the links of %j go', (line, kept) => {
    expect(withoutLinkTargets(line)).toBe(kept);
  });
});

describe('withoutImages', () => {
  it.each([
    ['a ![x](https://a.test/1.png) b', 'a  b'],
    ['![x](/1.png "A title")![](/2.png)', ''],
    ['[![a](/a.png)](/b)', '[](/b)'],
    ['![a] (b) ![c](d)', '![a] (b) '],
    ['![ ![a](b)', ''],
    [`![${'x'.repeat(501)}](b)`, `![${'x'.repeat(501)}](b)`],
    ['![a](no end', '![a](no end'],
  ])('leaves out the images of %j', (line, kept) => {
    expect(withoutImages(line)).toBe(kept);
  });
});

it.each(['](', '![](', '\\](', '![', '](x y '])('reads a line of 100,000 %j in linear time', (mark) => {
  for (const end of ['', ` ${'x'.repeat(5_000)})`]) {
    const line = mark.repeat(100_000) + end;
    expect(withoutLinkTargets(line).length).toBeLessThanOrEqual(line.length);
    expect(withoutImages(line).length).toBeLessThanOrEqual(line.length);
  }
});
