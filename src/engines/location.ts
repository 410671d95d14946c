import { findCountry } from '../country.ts';
import type { PageRequest } from './engine.ts';

/** Who visits a page: what the visitor reads, and where. */
export interface Visitor {
  /** BCP 47 tags, the favourite first; at least one. */
  languages: string[];
  /** Where the request names a country. */
  place?: { timezone: string; latitude: number; longitude: number };
}

/** The visitor that a request asks for: its languages, else those of its country, else an American one's. */
export function visitorOf(location: PageRequest['location']): Visitor {
  const country = location?.country === undefined ? undefined : findCountry(location.country);
  const languages = location?.languages?.length
    ? location.languages
    : languagesOf(country?.language ?? 'en', country?.code ?? 'US');
  if (!country) return { languages };
  const { timezone, latitude, longitude } = country;
  return { languages, place: { timezone, latitude, longitude } };
}

/** As browsers are set up there; English last, as everywhere. */
const languagesOf = (language: string, code: string) => [...new Set([`${language}-${code}`, language, 'en'])];

/** The header `Accept-Language` as Chromium writes it: each language a little less welcome than the one before. */
export const acceptLanguage = (languages: string[]) =>
  languages
    .map((language, place) => (place ? `${language};q=${Math.max(1, 10 - place) / 10}` : language))
    .join(',');
