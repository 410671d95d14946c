import { fieldsOf, parseJson } from '../../json/json-object.ts';
import { requestText } from '../../system/http-text.ts';

/** Milliseconds that the worker has, which waits up to three seconds for its own parts. */
const TIMEOUT_MS = 4_000;

/** Creates the access to what the worker of this machine tells of itself by the socket at which it takes scrapes. */
export function createWorkerHealth(socketPath: string) {
  const read = (path: string) => requestText({ socketPath }, { path, timeoutMs: TIMEOUT_MS });
  return {
    /**
     * Checks the worker.
     * @throws Error that names its parts that do not respond; the error of the connection
     */
    async ready(): Promise<void> {
      const { status, body } = await read('/ready');
      if (status === 200) return;
      const failed = Object.entries(fieldsOf(fieldsOf(parseJson(body)).parts)).filter(
        ([, state]) => state !== 'ok',
      );
      throw new Error(failed.map(([part, state]) => `${part}: ${state}`).join('; ') || `HTTP ${status}`);
    },
    /** Its metrics, in the format of Prometheus. @throws the error of the connection */
    async metrics(): Promise<string> {
      const { status, body } = await read('/metrics');
      if (status !== 200) throw new Error(`the worker responded with HTTP ${status}`);
      return body;
    },
  };
}

/** Tells how the worker of this machine is. */
export type WorkerHealth = ReturnType<typeof createWorkerHealth>;
