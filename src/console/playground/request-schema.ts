import { send } from '../api.ts';
import type { Operation } from './operations.ts';

/** A JSON Schema, as far as forms are made from it. */
export interface Schema {
  type?: string | string[];
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  $ref?: string;
}

interface OpenApi {
  paths: Record<string, { post?: { requestBody?: { content: Record<string, { schema: Schema }> } } }>;
}

/** What was read of the API reference, by the path that it is about. */
const documents = new Map<string, Promise<OpenApi>>();

/** Reads the schema of the body of an operation from the API reference: with a file, that of the options. */
export async function readRequestSchema({ path, takesFile }: Operation): Promise<Schema> {
  const read =
    documents.get(path) ??
    send<OpenApi>({ path: `/openapi.json?path=${encodeURIComponent(path)}` }).then(({ body }) => body);
  documents.set(path, read);
  read.catch(() => documents.delete(path));
  const api = await read;
  const content = api.paths[path]?.post?.requestBody?.content ?? {};
  const { schema } = content[takesFile ? 'multipart/form-data' : 'application/json'] ?? {};
  const body = takesFile ? schema?.properties?.options : schema;
  return body ? resolve(body, api) : {};
}

/** Follows the references of a schema. */
function resolve(schema: Schema, api: OpenApi): Schema {
  if (schema.$ref) {
    const target = schema.$ref
      .split('/')
      .slice(1)
      .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], api);
    return resolve(target as Schema, api);
  }
  const each = (schemas: Schema[] | undefined) => schemas?.map((part) => resolve(part, api));
  return {
    ...schema,
    ...(schema.items && { items: resolve(schema.items, api) }),
    ...(schema.anyOf && { anyOf: each(schema.anyOf) ?? [] }),
    ...(schema.oneOf && { oneOf: each(schema.oneOf) ?? [] }),
    ...(schema.properties && {
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([name, part]) => [name, resolve(part, api)]),
      ),
    }),
  };
}

/** An object that is one of several kinds, told by its `type`. */
export interface Variant {
  type: string;
  /** Its members but `type`. */
  fields: Schema;
}

/** The kinds of an object, such as those of formats; empty if the schema has none. */
export function variantsOf(schema: Schema): Variant[] {
  const parts = schema.oneOf ?? schema.anyOf ?? [];
  return parts.flatMap((part) => {
    const type = part.properties?.type?.const;
    if (typeof type !== 'string') return part.oneOf || part.anyOf ? variantsOf(part) : [];
    const { type: _, ...properties } = part.properties ?? {};
    const required = part.required?.filter((name) => name !== 'type') ?? [];
    return [{ type, fields: { type: 'object', properties, required } }];
  });
}

/** Whether a schema also takes the name of a kind alone. */
export const takesNames = ({ anyOf }: Schema): boolean =>
  anyOf?.some(({ type, enum: values }) => type === 'string' && values !== undefined) ?? false;
