import { isGrpcServiceError } from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { NativeConnection } from '@temporalio/worker';
import { ServiceError } from '../errors.ts';
import { SEARCH_ATTRIBUTES } from '../workflows/search-attributes.ts';
import { withUnavailableError } from './connection.ts';

/** How long the history of a workflow is kept after its end. */
const RETENTION = '7 days';

/**
 * Registers our search attributes and sets how long histories are kept. It may be called again at any time.
 * @throws ServiceError `BAD_REQUEST` if the namespace lacks search attributes that may not be added with these
 * credentials
 */
export function prepareNamespace(connection: NativeConnection, namespace: string): Promise<void> {
  return withUnavailableError(configureNamespace(connection, namespace));
}

async function configureNamespace(connection: NativeConnection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = SEARCH_ATTRIBUTES.filter(({ name }) => !(name in (customAttributes ?? {})));
  if (missing.length) {
    const added = connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(
        missing.map(({ name, type }) => [name, encodeSearchAttributeIndexedValueType(type)!]),
      ),
    });
    await added.catch((error) => {
      if (!isForbidden(error)) throw error;
      const names = missing.map(({ name, type }) => `${name} (${type})`).join(', ');
      throw new ServiceError(
        'BAD_REQUEST',
        `The Temporal namespace ${namespace} lacks search attributes, and may not be changed with these credentials. Add them to the namespace, in Temporal Cloud by its web interface: ${names}.`,
        { cause: error },
      );
    });
  }
  const kept = connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: msToTs(RETENTION) },
  });
  // The operator of the namespace decides how long it keeps histories.
  await kept.catch((error) => {
    if (!isForbidden(error)) throw error;
  });
}

// gRPC status codes, see https://grpc.io/docs/guides/status-codes/.
const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;

/** Whether the server does not let us change the namespace, as Temporal Cloud does not. */
function isForbidden(error: unknown): boolean {
  return isGrpcServiceError(error) && (error.code === PERMISSION_DENIED || error.code === UNIMPLEMENTED);
}
