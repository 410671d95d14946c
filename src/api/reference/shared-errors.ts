import type { createDocument } from 'zod-openapi';

type OpenApiDocument = ReturnType<typeof createDocument>;
type Operation = NonNullable<NonNullable<OpenApiDocument['paths']>[string]['get']>;
type SharedResponses = NonNullable<NonNullable<OpenApiDocument['components']>['responses']>;

/**
 * Moves error responses that several operations have alike to the components of the document, because most
 * operations end with the same errors, and the reference would be half as long again. A shared response is
 * named after the first operation that has it and its status, such as `postScrape429`.
 */
export function shareErrors(document: OpenApiDocument): OpenApiDocument {
  const users = Map.groupBy(errorsOf(document), ({ response }) => JSON.stringify(response));
  const shared: SharedResponses = {};
  for (const [first, ...others] of users.values()) {
    if (!first || others.length === 0) continue;
    const name = `${first.operation.operationId}${first.status}`;
    shared[name] = first.response;
    for (const { operation, status } of [first, ...others])
      operation.responses = { ...operation.responses, [status]: { $ref: `#/components/responses/${name}` } };
  }
  return { ...document, components: { ...document.components, responses: shared } };
}

/** The error responses of all operations, in the order of the document. */
function errorsOf({ paths = {} }: OpenApiDocument) {
  return Object.values(paths)
    .flatMap(({ get, post, put, patch, delete: remove }) => [get, post, put, patch, remove])
    .filter((operation): operation is Operation => operation !== undefined)
    .flatMap((operation) =>
      Object.entries(operation.responses ?? {})
        .filter(([status]) => Number(status) >= 400)
        .map(([status, response]) => ({ operation, status, response })),
    );
}
