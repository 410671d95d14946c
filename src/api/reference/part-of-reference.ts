import { ServiceError } from '../../errors.ts';
import { isJsonObject } from '../../json/json-object.ts';

/** An OpenAPI document, as far as its parts are told apart. */
interface Reference {
  paths: Record<string, unknown>;
  components: Record<string, Record<string, unknown>>;
  webhooks?: unknown;
}

/**
 * The part of a reference about one path, with the components that it refers to. It has a tenth of the bytes of the
 * whole, which is what a form of one operation waits for.
 * @throws ServiceError `NOT_FOUND` for a path that the reference does not have
 */
export function partOfReference(document: object, path: string): object {
  // Both references are written with these members.
  const reference = document as Reference;
  const operations = Object.hasOwn(reference.paths, path) ? reference.paths[path] : undefined;
  if (!operations)
    throw new ServiceError(
      'NOT_FOUND',
      'The API reference has no such path. Leave path out for all of them.',
    );
  // Operations name these without a reference.
  const { securitySchemes } = reference.components;
  const components: Reference['components'] = { ...(securitySchemes && { securitySchemes }) };
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const entry of value) collect(entry);
      return;
    }
    if (!isJsonObject(value)) return;
    const { $ref } = value;
    const [, kind = '', name = ''] = /^#\/components\/([^/]+)\/([^/]+)$/.exec(String($ref ?? '')) ?? [];
    const component = reference.components[kind]?.[name];
    if (component !== undefined && components[kind]?.[name] === undefined) {
      components[kind] = { ...components[kind], [name]: component };
      collect(component);
    }
    for (const entry of Object.values(value)) collect(entry);
  };
  collect(operations);
  const { webhooks: _, ...rest } = reference;
  return { ...rest, paths: { [path]: operations }, components };
}
