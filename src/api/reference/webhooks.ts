import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { WEBHOOK_EVENTS } from '../../schemas/webhook-events.ts';
import { json } from './responses.ts';

const signature = z
  .string()
  .optional()
  .describe('`sha256=` and the HMAC-SHA256 of the body with the secret of the team, in hexadecimal');
const header = z.object({ 'X-Service-Signature': signature, 'X-Firecrawl-Signature': signature });

/** Describes the requests that the service sends to webhooks, by the names of their events. */
export function describeWebhooks(): ZodOpenApiPathsObject {
  const events = WEBHOOK_EVENTS.map(({ type, summary, body }) => [
    type,
    {
      post: {
        operationId: `on-${type.replace(/[._]/g, '-')}`.replace(/-(\w)/g, (_, letter) =>
          letter.toUpperCase(),
        ),
        tags: ['Webhooks'],
        summary,
        security: [],
        requestParams: { header },
        requestBody: { required: true, content: json(body) },
        responses: {
          '2XX': { description: 'The event counts as delivered. With any other status it is sent again.' },
        },
      },
    },
  ]);
  return Object.fromEntries(events);
}
