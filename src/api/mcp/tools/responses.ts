import { fieldsOf } from '../../../json/json-object.ts';
import type { Reading, RouteResponse } from '../route-call.ts';

/** The object that is a member of a response, and the whole result of a tool. */
export const memberOf = (response: RouteResponse, name: string): RouteResponse => ({
  ...fieldsOf(response[name]),
});

/**
 * How the result of a job is read again.
 * @returns `undefined` for a result without an id, which is returned as a whole
 */
export const resultOf = (path: string, id: unknown, more: Partial<Reading> = {}): Reading | undefined =>
  typeof id === 'string' ? { path: `${path}/:id`, params: { id }, ...more } : undefined;
