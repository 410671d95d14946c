import { z } from 'zod';
import { profileName } from './profile.ts';
import { callerFields } from './scrape-options.ts';

/** Limits of the times of a session, in seconds. */
const TTL = { min: 30, max: 3600, fallback: 600 };
const ACTIVITY_TTL = { min: 10, max: 3600, fallback: 300 };
const seconds = ({ min, max, fallback }: typeof TTL, description: string) =>
  z.int().min(min).max(max).default(fallback).describe(`${description}, in seconds`);

/** Body of `POST /v2/browser`. */
export const sessionBody = z.strictObject({
  ttl: seconds(TTL, 'lifetime of the session, which activity does not extend'),
  activityTtl: seconds(ACTIVITY_TTL, 'time without activity after which the session ends'),
  streamWebView: z.boolean().default(true).describe('whether the session can be watched'),
  recordSession: z.boolean().default(true).describe('accepted for compatibility; sessions are not recorded'),
  profile: z
    .strictObject({
      name: profileName,
      saveChanges: z
        .boolean()
        .default(true)
        .describe('save cookies and storage to the profile; only one session at a time can'),
    })
    .optional()
    .describe('cookies and storage that sessions and scrapes of the same name share'),
  ...callerFields,
});
export type SessionRequest = z.output<typeof sessionBody>;

const urls = {
  cdpUrl: z
    .string()
    .describe('WebSocket URL for Playwright, Puppeteer and other clients of the DevTools protocol'),
  liveViewUrl: z.string().optional().describe('page on which the session can be watched'),
  interactiveLiveViewUrl: z
    .string()
    .optional()
    .describe('page on which viewers can also click, type and scroll'),
};

/** Response of `POST /v2/browser`. */
export const sessionResponse = z.object({
  success: z.literal(true),
  id: z.uuid(),
  ...urls,
  expiresAt: z.iso.datetime().describe('end of the lifetime'),
});

/** Query parameters of the list of sessions. */
export const sessionsQuery = z.strictObject({
  status: z.enum(['active', 'destroyed']).optional().describe('only sessions in this state'),
});

const sessionItem = z.object({
  id: z.uuid(),
  status: z.enum(['active', 'destroyed']),
  ...urls,
  streamWebView: z.boolean(),
  createdAt: z.iso.datetime(),
  lastActivity: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  endReason: z
    .enum(['ttl', 'idle', 'deleted', 'crashed', 'shutdown', 'lost', 'failed'])
    .optional()
    .describe('why the session ended'),
});

/** Response of `GET /v2/browser`. */
export const sessionsResponse = z.object({ success: z.literal(true), sessions: z.array(sessionItem) });

/** Response of `GET /v2/browser/{id}`. */
export const sessionStatusResponse = sessionItem.extend({ success: z.literal(true) });

/** Response of `DELETE /v2/browser/{id}`. */
export const sessionEndResponse = z.object({
  success: z.literal(true),
  sessionDurationMs: z.int(),
  creditsBilled: z.int(),
});
