import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ParseFile } from '../api/mcp/call-tool.ts';
import type { CallRoute } from '../api/mcp/route-call.ts';
import { quote, ServiceError } from '../errors.ts';
import { sendRequest } from './api-client.ts';
import type { ServiceConnection } from './connection.ts';
import { openFile } from './open-file.ts';

/** Has tools of the Model Context Protocol call the routes of a service over HTTP. */
export const callsTo =
  (target: ServiceConnection): CallRoute =>
  async ({ method, path, params = {}, query = {}, body }, disconnected) => {
    const pathname = path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ''));
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
    );
    const request = {
      method: METHODS[method],
      path: search.size > 0 ? `${pathname}?${search}` : pathname,
      ...(body !== undefined && { body }),
    };
    return { ...(await sendRequest(target, request, disconnected)) };
  };

/** Reads files of this machine, which is that of the client, and uploads them. */
export const uploadsTo =
  (target: ServiceConnection): ParseFile =>
  async ({ path, contentType, options }, disconnected) => {
    const file = pathOf(path);
    const blob = await openFile(file);
    const form = new FormData();
    form.append('options', JSON.stringify(options));
    form.append('file', contentType ? new Blob([blob], { type: contentType }) : blob, basename(file));
    return { ...(await sendRequest(target, { method: 'POST', path: '/v2/parse', form }, disconnected)) };
  };

/**
 * The absolute path that a model means, which has no shell that replaces `~`.
 * @throws ServiceError `BAD_REQUEST` for the URL of a file on another machine
 */
function pathOf(path: string): string {
  if (/^file:/i.test(path)) {
    try {
      return fileURLToPath(path);
    } catch (cause) {
      throw new ServiceError('BAD_REQUEST', `${quote(path)} is not the URL of a file here. Send its path.`, {
        cause,
      });
    }
  }
  return /^~(\/|$)/.test(path) ? join(homedir(), path.slice(1)) : resolve(path);
}

const METHODS = { get: 'GET', post: 'POST', patch: 'PATCH', delete: 'DELETE' } as const;
