import { findCountry } from '../country.ts';
import type { PageRequest } from './engine.ts';

/** Languages, time zone and position that a page sees. */
export interface Visitor {
  /** BCP 47 tags, the favourite first; at least one. */
  languages: string[];
  /** IANA name. */
  timezone: string;
  /** In degrees. Absent unless the request names a country: a page may then read it without asking. */
  position?: { latitude: number; longitude: number };
}

/** Stands for a request that names no country. */
const UNITED_STATES = { code: 'US', language: 'en', timezone: 'America/New_York' };

/** The visitor that a request asks for: its languages, else those of its country, else an American one's. */
export function visitorOf(location: PageRequest['location']): Visitor {
  const country = location?.country === undefined ? undefined : findCountry(location.country);
  const { code, language, timezone } = country ?? UNITED_STATES;
  const languages = location?.languages?.length ? location.languages : languagesOf(language, code);
  if (!country) return { languages, timezone };
  const { latitude, longitude } = country;
  return { languages, timezone, position: { latitude, longitude } };
}

/** As browsers are set up there; English last, as everywhere. */
const languagesOf = (language: string, code: string) => [...new Set([`${language}-${code}`, language, 'en'])];

/** The header `Accept-Language` as Chromium writes it: each language a little less welcome than the one before. */
export const acceptLanguage = (languages: string[]) =>
  languages
    .map((language, place) => (place ? `${language};q=${Math.max(1, 10 - place) / 10}` : language))
    .join(',');
