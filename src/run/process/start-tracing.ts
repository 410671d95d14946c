import type { Config } from '../../config.ts';
import type { Logger } from '../../system/logger.ts';
import { exportSpansTo, type SpanExporter } from '../../system/tracing.ts';
import { readVersion } from '../../system/version.ts';

/**
 * Sends the traces of this process to the collector of the operator. Without one, nothing is loaded.
 * @param processName such as `api`
 * @returns `undefined` without a collector
 */
export async function startTracing(
  { traces }: Pick<Config, 'traces'>,
  processName: string,
  logger: Logger,
): Promise<SpanExporter | undefined> {
  if (!traces) return undefined;
  const { createOtlpExporter } = await import('../../system/otlp-exporter.ts');
  const exporter = createOtlpExporter({ ...traces, processName, version: readVersion(), logger });
  exportSpansTo(exporter);
  return exporter;
}
