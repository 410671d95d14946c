import { describe, expect, it } from 'vitest';
import { acceptLanguage, visitorOf } from '../../../src/fetch/engines/visitor.ts';

describe('a visitor', () => {
  it('has American language and time zone by default, wherever the machine is', () => {
    const american = { languages: ['en-US', 'en'], timezone: 'America/New_York' };
    expect(visitorOf(undefined)).toEqual(american);
    expect(visitorOf({})).toEqual(american);
    expect(visitorOf({ languages: ['fr'] })).toEqual({ ...american, languages: ['fr'] });
  });

  it('has a geolocation only where the request names a country', () => {
    const position = { latitude: 40.71, longitude: -74.01 };
    expect(visitorOf({ country: 'us' })).toEqual({ ...visitorOf(undefined), position });
  });

  it.each([
    ['de', ['de-DE', 'de', 'en'], 'Europe/Berlin'],
    ['US', ['en-US', 'en'], 'America/New_York'],
    ['uk', ['en-GB', 'en'], 'Europe/London'],
    ['BR', ['pt-BR', 'pt', 'en'], 'America/Sao_Paulo'],
    ['RU', ['ru-RU', 'ru', 'en'], 'Europe/Moscow'],
    ['AU', ['en-AU', 'en'], 'Australia/Sydney'],
  ])('of %s reads and lives as there', (country, languages, timezone) => {
    expect(visitorOf({ country })).toMatchObject({ languages, timezone });
  });

  it('has coordinates and a time zone in every country', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const visitors = letters.flatMap((a) => letters.map((b) => visitorOf({ country: a + b })));
    const placed = visitors.flatMap(({ timezone, position }) =>
      position ? [{ timezone, ...position }] : [],
    );
    expect(placed.length).toBeGreaterThan(240);
    for (const { timezone, latitude, longitude } of placed) {
      expect(() => Intl.DateTimeFormat('en', { timeZone: timezone })).not.toThrow();
      expect(Math.abs(latitude)).toBeLessThanOrEqual(90);
      expect(Math.abs(longitude)).toBeLessThanOrEqual(180);
    }
  });

  it('prefers the languages of the request', () => {
    expect(visitorOf({ country: 'de', languages: ['fr'] }).languages).toEqual(['fr']);
    expect(visitorOf({ languages: [] }).languages).toEqual(['en-US', 'en']);
  });
});

describe('Accept-Language', () => {
  it('has quality values like those of browsers', () => {
    expect(acceptLanguage(['de-DE', 'de', 'en'])).toBe('de-DE,de;q=0.9,en;q=0.8');
    expect(acceptLanguage(Array(12).fill('x')).split(',').at(-1)).toBe('x;q=0.1');
  });
});
