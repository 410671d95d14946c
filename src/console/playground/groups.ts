import type { Schema } from './request-schema.ts';

/** A group of fields. */
export interface Group {
  title: string;
  fields: [name: string, schema: Schema][];
}

/** Where fields belong. What is new in the API is shown under "More" until it has a place here. */
const PLACES: Record<string, string[]> = {
  Content: [
    ...['includeTags', 'excludeTags', 'onlyCleanContent', 'removeBase64Images', 'parsers'],
    ...['systemPrompt', 'showSources', 'highlights'],
  ],
  Page: ['waitFor', 'actions', 'mobile', 'location', 'headers', 'profile', 'timeout', 'scrapeOptions'],
  Scope: [
    ...[
      'prompt',
      'maxDiscoveryDepth',
      'crawlEntireDomain',
      'allowExternalLinks',
      'allowSubdomains',
      'sitemap',
    ],
    ...['includeSubdomains', 'ignoreQueryParameters', 'deduplicateSimilarURLs', 'regexOnFullURL'],
    ...[
      'ignoreRobotsTxt',
      'robotsUserAgent',
      'filterByPath',
      'includeDomains',
      'excludeDomains',
      'categories',
    ],
    ...[
      'includePaths',
      'excludePaths',
      'useIndex',
      'ignoreSitemap',
      'enableWebSearch',
      'strictConstrainToURLs',
    ],
  ],
  Pace: ['delay', 'maxConcurrency', 'effort', 'maxCredits', 'webhook', 'appendToId', 'ignoreInvalidURLs'],
  Cache: ['maxAge', 'minAge', 'storeInCache', 'lockdown', 'ignoreCache', 'archive'],
  Network: ['proxy', 'blockAds', 'fastMode', 'skipTlsVerification'],
  Privacy: ['zeroDataRetention', 'redactPII'],
};
const NO_EFFECT = /^accepted, but has no effect|^accepted for compatibility/;

/**
 * Sorts the fields of a body into groups, without those that are always shown, and without those that the API
 * accepts only because other clients send them.
 */
export function groupFields({ properties = {} }: Schema, main: readonly string[]): Group[] {
  const groups = new Map<string, Group['fields']>();
  for (const [name, schema] of Object.entries(properties)) {
    if (main.includes(name) || NO_EFFECT.test(schema.description ?? '')) continue;
    const title = Object.keys(PLACES).find((title) => PLACES[title]?.includes(name)) ?? 'More';
    groups.set(title, [...(groups.get(title) ?? []), [name, schema]]);
  }
  return [...Object.keys(PLACES), 'More'].flatMap((title) => {
    const fields = groups.get(title);
    return fields ? [{ title, fields }] : [];
  });
}
