import { fieldsOf } from '../../../json/json-object.ts';
import type { RouteResponse } from '../route-call.ts';

/** The object that is a member of a response, and the whole result of a tool. */
export const memberOf = (response: RouteResponse, name: string): RouteResponse => ({
  ...fieldsOf(response[name]),
});
