import { type ApiResponse, send } from '../api.ts';
import type { Operation } from './operations.ts';

/** A request of the playground. */
export interface PlaygroundRequest {
  operation: Operation;
  body: Record<string, unknown>;
  /** The file of an operation that takes one. */
  file?: File | undefined;
}

/** Sends a request; one with a file as a form, as RFC 7578 describes it. */
export function sendRequest(
  { operation: { path, takesFile }, body, file }: PlaygroundRequest,
  signal?: AbortSignal,
): Promise<ApiResponse<Record<string, unknown>>> {
  const shared = { method: 'POST', path, ...(signal && { signal }) } as const;
  if (!takesFile || !file) return send({ ...shared, body });
  const form = new FormData();
  form.append('options', JSON.stringify(body));
  form.append('file', file);
  return send({ ...shared, body: form });
}
