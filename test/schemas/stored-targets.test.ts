import { describe, expect, it } from 'vitest';
import { targetsOf } from '../../src/jobs/monitors/begin-check.ts';
import { acceptedLocation } from '../../src/schemas/visitor.ts';

/** Targets with a location, as they were sent to version 1.0.0, which ignored what it did not know. */
const storedWith = (location: object) => ({
  targets: [{ type: 'scrape', urls: ['https://a.test/'], scrapeOptions: { location } }],
});

/** The location with which the pages of stored targets are read. */
function locationOf(location: object): unknown {
  const [named] = targetsOf(storedWith(location));
  return named?.target.type === 'scrape' ? named.target.scrapeOptions.location : undefined;
}

describe('the targets of a monitor that was stored by version 1.0.0', () => {
  it.each<[string, object, object]>([
    [
      'a language by its name',
      { country: 'DE', languages: ['german', 'en'] },
      { country: 'DE', languages: ['en'] },
    ],
    ['no language but by its name', { country: 'DE', languages: ['german'] }, { country: 'DE' }],
    ['a name that contains one of an option', { countryCode: 'DE', country: 'FR' }, { country: 'FR' }],
  ])('are read without %s', (_, stored, read) => {
    expect(locationOf(stored)).toEqual(read);
  });

  it('keep what is ignored, and what is right', () => {
    const location = { country: 'DE', languages: ['de', 'pt-BR'], city: 'Berlin' };
    expect(locationOf(location)).toEqual({ country: 'DE', languages: ['de', 'pt-BR'], ignored: ['city'] });
    expect(acceptedLocation({ languages: [] })).toEqual({ languages: [] });
  });
});
