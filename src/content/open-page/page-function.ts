import type { z } from 'zod';
import type { PageDom } from './page-dom.ts';

/**
 * Code that runs in an open page. It is sent there as source code, so it may use nothing from outside but its
 * arguments.
 */
export type PageCode<Argument, Result> = (argument: Argument, dom: PageDom) => Result;

/** A function that runs in an open page, and what it may return. */
export interface PageFunction<Argument, Result> {
  run: PageCode<Argument, Result | Promise<Result>>;
  /** Checks what comes back. */
  returns: z.ZodType<Result>;
}

/** Runs a function in the isolated world of an open page. @throws Error if the page cannot run it */
export type RunInPage = <Argument, Result>(
  pageFunction: PageFunction<Argument, Result>,
  argument: Argument,
) => Promise<Result>;

/**
 * Describes a function that runs in an open page.
 * @param returns what it may return, with bounds on the lengths of strings and lists; the function has to
 * keep to them whatever the page is
 * @example
 * const countLinks = pageFunction(z.int(), (limit: number, dom) => Math.min(limit, dom.findAll('a').length));
 */
export const pageFunction = <Argument, Result>(
  returns: z.ZodType<Result>,
  run: PageCode<Argument, Result | Promise<Result>>,
): PageFunction<Argument, Result> => ({ run, returns });
