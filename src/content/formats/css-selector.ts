import { z } from 'zod';
import { quote } from '../../errors.ts';
import { withKeywords } from '../../json/schema-keywords.ts';
import { isSelector } from '../html/selector.ts';

/** Says that a text is no selector, and how one is written that has the syntax of another tool. */
const describeSelector = (text: string) =>
  `${quote(text)} is not a CSS selector${/^\(*\.?\//.test(text) ? '; XPath is not supported. Write for example "div#content" for //div[@id=\'content\']' : ''}`;

/** A CSS selector of a request. */
export const cssSelector = withKeywords(
  z
    .string()
    .min(1)
    .refine(isSelector, { error: (issue) => describeSelector(String(issue.input)) }),
  { examples: ['main', '.price', '#content > p'] },
);
