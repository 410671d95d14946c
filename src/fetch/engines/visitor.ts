import { findCountry } from '../../schemas/country.ts';
import type { Appearance } from '../browser/device-emulation.ts';
import { userAgentOf } from '../net/user-agent.ts';
import type { PageRequest } from './engine.ts';

/** The languages, time zone and position that a page can read from the browser. */
export interface Visitor {
  /** BCP 47 tags in order of preference; at least one. */
  languages: string[];
  /** IANA name of the time zone. */
  timezone: string;
  /**
   * Position in degrees, which pages may read without permission. Set only if the request names a country.
   */
  position?: { latitude: number; longitude: number };
}

/** The default country. */
const UNITED_STATES = { code: 'US', language: 'en', timezone: 'America/New_York' };

/**
 * The visitor for a request. Languages of the request take precedence over those of its country; the default
 * is the US.
 */
export function visitorOf(location: PageRequest['location']): Visitor {
  const country = location?.country === undefined ? undefined : findCountry(location.country);
  const { code, language, timezone } = country ?? UNITED_STATES;
  const languages = location?.languages?.length ? location.languages : languagesOf(language, code);
  if (!country) return { languages, timezone };
  const { latitude, longitude } = country;
  return { languages, timezone, position: { latitude, longitude } };
}

/** What decides how the visitor of a scrape or of a session appears. */
export type VisitorOptions = Pick<PageRequest, 'location' | 'mobile' | 'skipTlsVerification'>;

/**
 * All that a site can observe of the visitor of a scrape or of a session.
 * @param userAgent that of this service
 */
export const appearanceOf = (
  { location, mobile, skipTlsVerification }: VisitorOptions,
  userAgent: string,
): Appearance => ({
  userAgent: userAgentOf({ userAgent, mobile }),
  mobile,
  skipTlsVerification,
  ...visitorOf(location),
});

/** The usual languages of browsers in a country, with English as the last one. */
const languagesOf = (language: string, code: string) => [...new Set([`${language}-${code}`, language, 'en'])];

/**
 * Formats the `Accept-Language` header like Chromium, with a quality that decreases by 0.1 for each language.
 */
export const acceptLanguage = (languages: string[]) =>
  languages
    .map((language, place) => (place ? `${language};q=${Math.max(1, 10 - place) / 10}` : language))
    .join(',');
