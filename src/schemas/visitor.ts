import { z } from 'zod';
import { excerpt } from '../errors.ts';
import { bounded } from '../json/bounded.ts';
import { ignoreOthers, mistakenNames } from '../json/ignore-others.ts';
import { isJsonObject } from '../json/json-object.ts';
import { withKeywords } from '../json/schema-keywords.ts';
import { unlessEmpty } from '../json/unless-empty.ts';
import { countryFault, findCountry } from './country.ts';
import { isLanguageTag, languageTag } from './language.ts';

const MAX_LANGUAGE_CHARACTERS = 1_000;
/** The most unknown members of a location that are remembered, for a warning of them. */
const MAX_IGNORED = 5;

const country = withKeywords(
  z.string().refine((code) => findCountry(code), {
    error: ({ input }) => countryFault(input),
  }),
  { pattern: '^[A-Za-z]{2}$', examples: ['DE', 'us'] },
);

const place = {
  country: unlessEmpty(country).describe(
    'ISO 3166-1 alpha-2 code. It determines the time zone, the geolocation and, unless languages is set, the languages. It also selects a proxy in that country if the service has one. Default US, without a geolocation',
  ),
  languages: bounded(z.array(languageTag), { entries: 10, characters: MAX_LANGUAGE_CHARACTERS })
    .optional()
    .describe('BCP 47 language tags, the preferred one first'),
};

const PLACE_NAMES = Object.keys(place);

/** What a location says, and its members that have no effect. */
export interface VisitorLocation {
  country?: string | undefined;
  languages?: string[] | undefined;
  ignored?: string[];
}

const mobile = z.boolean().default(false).describe('emulate a mobile device');
const WHERE = 'where the visitor of the page appears to be';

/** The options of the visitor that sites see in a session. */
export const sessionVisitorFields = { mobile, location: z.strictObject(place).optional().describe(WHERE) };

/**
 * The options of the visitor that sites see in a scrape. Clients may send members of a location that it does not have.
 */
export const visitorFields = {
  mobile,
  location: ignoreOthers(
    z
      .object(place)
      .catchall(z.unknown())
      .transform(({ country, languages, ...others }): VisitorLocation => {
        const ignored = Object.keys(others).slice(0, MAX_IGNORED);
        return {
          ...(country !== undefined && { country }),
          ...(languages && { languages }),
          ...(ignored.length && { ignored: ignored.map((name) => excerpt(name, 40)) }),
        };
      }),
    PLACE_NAMES,
  )
    .optional()
    .describe(WHERE),
};

/**
 * A location that was stored by an earlier version, without what requests may no longer have: members that are
 * mistakes, and languages that are none. They had no effect, so what was stored goes on as before.
 */
export function acceptedLocation(stored: unknown): unknown {
  if (!isJsonObject(stored)) return stored;
  const mistakes = mistakenNames(stored, PLACE_NAMES);
  const { languages, ...others } = Object.fromEntries(
    Object.entries(stored).filter(([name]) => !mistakes.includes(name)),
  );
  if (!Array.isArray(languages)) return languages === undefined ? others : { ...others, languages };
  const known = languages.filter((tag) => typeof tag !== 'string' || isLanguageTag(tag));
  // Without any that is left, the country determines the languages.
  return known.length || !languages.length ? { ...others, languages: known } : others;
}

/** Says which members of a location have no effect, because others may rely on them; no sentence without such. */
export function warnOfLocation(location: VisitorLocation | undefined): string[] {
  const names = location?.ignored ?? [];
  return names.length
    ? [`location ignores ${names.join(', ')}: it has country, which sets the time zone too, and languages.`]
    : [];
}
