import { expect, it } from 'vitest';
import { cssOfXPath } from '../../../src/content/html/css-of-xpath.ts';
import { isSelector } from '../../../src/content/html/selector.ts';

it.each([
  ['//div[@id="content"]', 'div#content'],
  ["//*[@id='x']/a", '#x > a'],
  ['/html/body//p', 'html > body p'],
  ['xpath=//a[2]', 'a:nth-of-type(2)'],
  ["//div[contains(@class, 'card')]//h2", 'div.card h2'],
  ['//input[@name="q"]', 'input[name="q"]'],
  ['//a[@href]', 'a[href]'],
  ['//li[last()]', 'li:last-of-type'],
])('the simple XPath %s is the selector %s', (xpath, css) => {
  expect(cssOfXPath(xpath)).toBe(css);
  expect(isSelector(css)).toBe(true);
});

it('a text in an XPath is looked for by :has-text', () => {
  expect(cssOfXPath('//button[text()="More"]')).toBe('button:has-text("More")');
  expect(cssOfXPath("//a[contains(text(), 'Next')]")).toBe('a:has-text("Next")');
});

it.each(['//a/following-sibling::b', '//a[position() > 2]', 'a.b', '', '//a | //b', '//a[@x="1" and @y]'])(
  'the XPath %j has no selector',
  (xpath) => {
    expect(cssOfXPath(xpath)).toBeUndefined();
  },
);
