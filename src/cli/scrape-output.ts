import { fieldsOf } from '../json/json-object.ts';
import type { ApiResponse } from './api-client.ts';

/** Formats the whole response, the document, or the only requested format, with a final line break. */
export function formatResult(response: ApiResponse, formats: string[], wholeResponse: boolean): string {
  const data = fieldsOf(response.data);
  const only = formats.length === 1 && formats[0] !== undefined ? data[formats[0]] : undefined;
  const result = wholeResponse ? response : (only ?? data);
  const text = typeof result === 'string' ? result : JSON.stringify(result, null, 2);
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** Collects the warnings that are printed on stderr. */
export function listWarnings(response: ApiResponse): string[] {
  const { warning, metadata } = fieldsOf(response.data);
  const { statusCode, error } = fieldsOf(metadata);
  const failed = typeof statusCode === 'number' && statusCode >= 400;
  return [
    ...(typeof warning === 'string' ? [`Warning: ${warning}`] : []),
    ...(failed
      ? [
          `Warning: the page responded with status ${statusCode}${typeof error === 'string' ? ` (${error})` : ''}.`,
        ]
      : []),
  ];
}
