import { inject } from 'vitest';

/** An answer of the API: its status, headers and JSON. */
export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers as a client without types does
  body: any;
}

/** Calls the shared instance. @param init.key another key than the first team's; `null` for none */
export async function call(
  path: string,
  init: {
    method?: string;
    body?: unknown;
    raw?: string;
    key?: string | null;
    url?: string;
    headers?: Record<string, string>;
  } = {},
): Promise<Answer> {
  const service = inject('service');
  const key = init.key === undefined ? service.key : init.key;
  const raw = init.raw ?? (init.body === undefined ? undefined : JSON.stringify(init.body));
  const response = await fetch(`${init.url ?? service.url}${path}`, {
    method: init.method ?? (raw === undefined ? 'GET' : 'POST'),
    headers: {
      ...(key && { Authorization: `Bearer ${key}` }),
      ...(raw !== undefined && { 'Content-Type': 'application/json' }),
      ...init.headers,
    },
    ...(raw !== undefined && { body: raw }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
}

/** Scrapes through the shared instance. */
export const scrape = (body: Record<string, unknown>) => call('/v2/scrape', { body });
