import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { NativeConnection } from '@temporalio/worker';
import { SEARCH_ATTRIBUTES } from '../workflows/search-attributes.ts';
import { withUnavailableError } from './connection.ts';

/** How long the history of a workflow is kept after its end. */
const RETENTION = '7 days';

/**
 * Registers our search attributes and sets how long histories are kept. It may be called again at any time.
 */
export function prepareNamespace(connection: NativeConnection, namespace: string): Promise<void> {
  return withUnavailableError(configureNamespace(connection, namespace));
}

async function configureNamespace(connection: NativeConnection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = SEARCH_ATTRIBUTES.filter(({ name }) => !(name in (customAttributes ?? {})));
  if (missing.length) {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(
        missing.map(({ name, type }) => [name, encodeSearchAttributeIndexedValueType(type)!]),
      ),
    });
  }
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: msToTs(RETENTION) },
  });
}
