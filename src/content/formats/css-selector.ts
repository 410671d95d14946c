import { z } from 'zod';
import { quote } from '../../errors.ts';
import { withKeywords } from '../../json/schema-keywords.ts';
import { cssOfXPath } from '../html/css-of-xpath.ts';
import { isSelector } from '../html/selector.ts';

/** Says that a text is no selector, and how one is written that has the syntax of another tool. */
function describeSelector(text: string): string {
  const fault = `${quote(text)} is not a CSS selector`;
  if (!/^(xpath=|\(*\.?\/)/i.test(text)) return fault;
  const css = cssOfXPath(text);
  const advice = css ? `Write ${quote(css)}` : `Write for example "div#content" for //div[@id='content']`;
  return `${fault}; XPath is not supported. ${advice}`;
}

/** A CSS selector of a request. */
export const cssSelector = withKeywords(
  z
    .string()
    .min(1)
    .refine(isSelector, { error: (issue) => describeSelector(String(issue.input)) }),
  { examples: ['main', '.price', '#content > p'] },
);
