import { z } from 'zod';
import { mapBody } from '../../schemas/map.ts';
import { validate } from '../validation/validate.ts';
import { knownMembers } from './known-members.ts';
import type { TranslatedBody } from './older-route.ts';

const olderBody = knownMembers(
  { ignoreSitemap: z.boolean().optional(), sitemapOnly: z.boolean().optional() },
  mapBody,
);

/** Converts the body of `POST /v1/map`. */
export function translateMapRequest(sent: unknown): TranslatedBody {
  const { ignoreSitemap, sitemapOnly, ...same } = validate(olderBody, sent, 'body');
  const sitemap = sitemapOnly ? 'only' : ignoreSitemap ? 'skip' : undefined;
  return { body: { ...same, ...(sitemap && { sitemap }) } };
}
