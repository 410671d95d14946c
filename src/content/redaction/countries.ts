import { type CountryCode, isSupportedCountry } from 'libphonenumber-js/max';

/** Countries of which the text of a page in a language without a region may have telephone numbers. */
const COUNTRIES_OF_LANGUAGES: Record<string, CountryCode[]> = {
  en: ['US', 'GB'],
  de: ['DE', 'AT', 'CH'],
  fr: ['FR', 'BE', 'CH'],
  es: ['ES', 'MX'],
  it: ['IT', 'CH'],
  pt: ['BR', 'PT'],
  nl: ['NL', 'BE'],
  pl: ['PL'],
  sv: ['SE'],
  da: ['DK'],
  nb: ['NO'],
  no: ['NO'],
  fi: ['FI'],
  cs: ['CZ'],
  tr: ['TR'],
  ru: ['RU'],
  uk: ['UA'],
  ja: ['JP'],
  zh: ['CN', 'TW'],
  ko: ['KR'],
};
const MAX_COUNTRIES = 4;
const NO_HINT: CountryCode[] = ['US', 'GB'];
const DECLARED_LANGUAGE = /<html\b[^>]{0,500}?\blang\s*=\s*["']?([a-z]{2,3})(?:[-_]([a-z]{2}))?\b/i;
const MAX_HEAD = 4_000;

/**
 * Finds the countries whose telephone numbers a page may have without a country code: of its host and of the
 * language that it declares; the United States and the United Kingdom if neither says anything.
 */
export function countriesOf(html: string, url: string): CountryCode[] {
  const [, language, region] = DECLARED_LANGUAGE.exec(html.slice(0, MAX_HEAD)) ?? [];
  const topLevel = URL.canParse(url) ? (new URL(url).hostname.split('.').at(-1) ?? '') : '';
  const codes = [region, topLevel === 'uk' ? 'gb' : topLevel].map((code) => code?.toUpperCase() ?? '');
  const found = [
    ...codes.filter((code) => isSupportedCountry(code)),
    ...(COUNTRIES_OF_LANGUAGES[language?.toLowerCase() ?? ''] ?? []),
  ];
  const countries = [...new Set(found)].slice(0, MAX_COUNTRIES);
  return countries.length > 0 ? countries : NO_HINT;
}
