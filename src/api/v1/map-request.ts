import { z } from 'zod';
import { validate } from '../validation/validate.ts';
import type { TranslatedBody } from './older-route.ts';

const mapBody = z.looseObject({
  ignoreSitemap: z.boolean().optional(),
  sitemapOnly: z.boolean().optional(),
});

/** Converts the body of `POST /v1/map`. */
export function translateMapRequest(sent: unknown): TranslatedBody {
  const { ignoreSitemap, sitemapOnly, ...same } = validate(mapBody, sent, 'body');
  const sitemap = sitemapOnly ? 'only' : ignoreSitemap ? 'skip' : undefined;
  return { body: { ...same, ...(sitemap && { sitemap }) } };
}
