import { ERRORS, isErrorCode } from '../../src/errors.ts';
import { fieldsOf, parseJson } from '../../src/json/json-object.ts';
import type { Operation, Reference } from './operations.ts';
import type { FuzzRequest } from './requests.ts';

/** A whole response of the service. */
export interface Answer {
  status: number;
  /** Its media type, without parameters; empty for none. */
  mediaType: string;
  text: string;
}

/** Statuses of responses without a body. */
const EMPTY = [204, 304];
/** Statuses of what is no operation, where a HEAD has no body that says why. */
const REFUSALS = [400, 401, 404, 405, 431];

/** Judges the responses of a service by its reference. */
export class Judge {
  readonly #reference: Reference;
  readonly #patterns: { operation: Operation; pattern: RegExp }[];

  constructor(reference: Reference) {
    this.#reference = reference;
    this.#patterns = reference.operations.map((operation) => ({
      operation,
      pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]*')}/?$`, 'i'),
    }));
  }

  /** Says what is wrong with a response; `undefined` if it is one that the reference describes. */
  faultOf({ method, target }: FuzzRequest, answer: Answer): string | undefined {
    const body = parseJson(answer.text);
    if (fieldsOf(body).code === 'UNKNOWN_ERROR' || answer.text.includes('"UNKNOWN_ERROR"'))
      return 'an unknown error';
    const [path = ''] = target.split('?');
    const called = this.#patterns.filter(({ pattern }) => pattern.test(path));
    const operations = called.map(({ operation }) => operation);
    const own = operations.filter((operation) => operation.method === (method === 'HEAD' ? 'GET' : method));
    if (method === 'OPTIONS' && answer.status === 204) return undefined;
    if (own.length === 0) return this.#faultOfError(method, answer, body);
    // A path such as /v2/crawl/active is also one of /v2/crawl/{id}.
    const faults = own.map((operation) => faultOf(operation, { method, answer, body }));
    return faults.includes(undefined) ? undefined : faults[0];
  }

  /** What is wrong with the refusal of something that is no operation. */
  #faultOfError(method: string, { status, text }: Answer, body: unknown): string | undefined {
    const { code } = fieldsOf(body);
    if (method === 'HEAD' && REFUSALS.includes(status)) return undefined;
    if (status < 400) return `status ${status}, although there is no such operation`;
    if (!isErrorCode(code) || ERRORS[code].status !== status)
      return `status ${status} without its code: ${text.slice(0, 100)}`;
    return this.#reference.checkError(body);
  }
}

function faultOf(
  { responses }: Operation,
  { method, answer, body }: { method: string; answer: Answer; body: unknown },
): string | undefined {
  const { status, mediaType, text } = answer;
  const described = responses.get(status);
  if (!described) return `status ${status}, which is not described: ${text.slice(0, 200)}`;
  if (method === 'HEAD' || EMPTY.includes(status)) return text ? 'a body, which may not be there' : undefined;
  const check = described.get(mediaType) ?? described.get('*/*');
  if (!check) return `status ${status} has the media type ${mediaType || 'none'}, which is not described`;
  if (!mediaType.endsWith('/json')) return undefined;
  if (body === undefined) return `status ${status} has a body that is no JSON`;
  const fault = check(body);
  return fault === undefined ? undefined : `status ${status} has another shape: ${fault}`;
}
