import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { fieldsOf } from '../../src/json/json-object.ts';
import type { JsonSchema } from '../../test/support/schemas/values-of-schema.ts';

/** A parameter of an operation, outside of its body. */
export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: JsonSchema;
}

/** Says what is wrong with a body; `undefined` if it conforms. */
type Check = (body: unknown) => string | undefined;

/** An operation of an API reference (OpenAPI 3.1). */
export interface Operation {
  /** Such as `POST /v2/crawl/{id}/pause`. */
  name: string;
  method: string;
  path: string;
  parameters: Parameter[];
  /** The schema of its body by media type; without entries if it has none. */
  bodies: [mediaType: string, schema: JsonSchema][];
  /** Its responses: the checks of each status by media type. */
  responses: Map<number, Map<string, Check>>;
}

/** What the service says about itself. */
export interface Reference {
  operations: Operation[];
  /** Checks the body of an error that belongs to no operation. */
  checkError: Check;
}

const listOf = (value: unknown): JsonSchema[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

/** Reads the operations of an API reference. @param document as the service serves it */
export function readReference(document: unknown): Reference {
  const { paths, components } = fieldsOf(document);
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  // Each text that is in base64 comes from the service itself.
  ajv.addFormat('base64', true);
  const makeCheck = (schema: unknown): Check => {
    let validate: ReturnType<typeof ajv.compile> | undefined;
    return (body) => {
      // Its references begin at the root of the document.
      validate ??= ajv.compile({ ...fieldsOf(schema), components });
      return validate(body) ? undefined : ajv.errorsText(validate.errors, { separator: '; ' });
    };
  };
  const resolve = (value: unknown): unknown => withoutReferences(value, document);
  const operations = Object.entries(fieldsOf(paths)).flatMap(([path, methods]) =>
    Object.entries(fieldsOf(methods)).map(([method, operation]): Operation => {
      const { parameters, requestBody, responses } = fieldsOf(operation);
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters: listOf(resolve(parameters)).map(toParameter),
        bodies: Object.entries(fieldsOf(fieldsOf(requestBody).content)).map(([type, content]) => [
          type,
          fieldsOf(resolve(fieldsOf(content).schema)),
        ]),
        responses: new Map(
          Object.entries(fieldsOf(responses)).map(([status, response]) => [
            Number(status),
            checksOf(targetOf(response, document), makeCheck),
          ]),
        ),
      };
    }),
  );
  return { operations, checkError: makeCheck({ $ref: '#/components/schemas/Error' }) };
}

function toParameter({ name, in: place, required, schema }: JsonSchema): Parameter {
  return {
    name: String(name),
    // The reference has no parameters in cookies.
    in: place as Parameter['in'],
    required: required === true,
    schema: fieldsOf(schema),
  };
}

const checksOf = (response: unknown, makeCheck: (schema: unknown) => Check) =>
  new Map(
    Object.entries(fieldsOf(fieldsOf(response).content)).map(([type, content]) => [
      type,
      makeCheck(fieldsOf(content).schema),
    ]),
  );

/** What a reference within the document leads to; anything else is itself. */
function targetOf(value: unknown, document: unknown): unknown {
  const { $ref } = fieldsOf(value);
  if (typeof $ref !== 'string') return value;
  return $ref
    .slice(2)
    .split('/')
    .reduce((at: unknown, name) => fieldsOf(at)[name], document);
}

/** Replaces the references in a part of a document, none of which is within what it leads to. */
function withoutReferences(value: unknown, document: unknown): unknown {
  const target = targetOf(value, document);
  if (Array.isArray(target)) return target.map((entry) => withoutReferences(entry, document));
  if (typeof target !== 'object' || target === null) return target;
  return Object.fromEntries(
    Object.entries(target).map(([name, member]) => [name, withoutReferences(member, document)]),
  );
}
