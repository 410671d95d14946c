import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { deriveKey } from '../../system/encryption/cipher.ts';
import { readSignedToken, signToken } from '../../system/encryption/signed-token.ts';

/** Path under which recipients of mails confirm and unsubscribe, below the base of URLs in responses. */
export const SUBSCRIPTIONS_PATH = '/v2/monitor/email';

const subscriptionKey = (secretKey: string) => deriveKey(secretKey, 'subscription of a monitor');

/** What a link in a mail is for. */
export interface SubscriptionLink {
  monitorId: string;
  email: string;
  action: 'confirm' | 'unsubscribe';
}

const payload = z.tuple([z.uuid(), z.string(), z.enum(['confirm', 'unsubscribe'])]);

/** Creates the URL by which a recipient confirms or unsubscribes without a key. It does not expire. */
export const subscriptionUrl = (
  { monitorId, email, action }: SubscriptionLink,
  baseUrl: string,
  secretKey: string,
) => `${baseUrl}${SUBSCRIPTIONS_PATH}/${signToken([monitorId, email, action], subscriptionKey(secretKey))}`;

/** Reads the last part of such a URL. @throws ServiceError `NOT_FOUND` for any other text */
export function readSubscriptionToken(token: string, secretKey: string): SubscriptionLink {
  const read = payload.safeParse(readSignedToken(token, subscriptionKey(secretKey)));
  if (!read.success)
    throw new ServiceError(
      'NOT_FOUND',
      'This is not the URL of a subscription. Use the whole URL from the mail, unchanged.',
    );
  const [monitorId, email, action] = read.data;
  return { monitorId, email, action };
}

/** Path of the feeds of monitors, below the base of URLs in responses. */
export const FEEDS_PATH = '/v2/monitor/feed';

const feedKey = (secretKey: string) => deriveKey(secretKey, 'feed of a monitor');

/** The feed of a monitor. */
interface MonitorFeed {
  monitorId: string;
  /** How often its URL was replaced; only the last one is valid. */
  version: number;
}

/**
 * Creates the URL of the feed of a monitor, by which programs read it without a key. It is valid until it is
 * replaced.
 */
export const feedUrl = ({ monitorId, version }: MonitorFeed, baseUrl: string, secretKey: string) =>
  // The first URLs had no version.
  `${baseUrl}${FEEDS_PATH}/${signToken(version === 0 ? monitorId : [monitorId, version], feedKey(secretKey))}`;

const feedPayload = z.union([
  z.uuid().transform((monitorId) => ({ monitorId, version: 0 })),
  z.tuple([z.uuid(), z.int().positive()]).transform(([monitorId, version]) => ({ monitorId, version })),
]);

/** Reads the last part of such a URL. @throws ServiceError `NOT_FOUND` for any other text */
export function readFeedToken(token: string, secretKey: string): MonitorFeed {
  const read = feedPayload.safeParse(readSignedToken(token, feedKey(secretKey)));
  if (read.success) return read.data;
  throw new ServiceError(
    'NOT_FOUND',
    'This is not the URL of a feed. GET /v2/monitor/{id} has that of a monitor in feedUrl.',
  );
}
