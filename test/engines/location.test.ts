import { describe, expect, it } from 'vitest';
import { acceptLanguage, visitorOf } from '../../src/engines/location.ts';

describe('a visitor', () => {
  it('is an American one by default, wherever the machine is', () => {
    expect(visitorOf(undefined)).toEqual({ languages: ['en-US', 'en'] });
    expect(visitorOf({})).toEqual({ languages: ['en-US', 'en'] });
  });

  it.each([
    ['de', ['de-DE', 'de', 'en'], 'Europe/Berlin'],
    ['US', ['en-US', 'en'], 'America/New_York'],
    ['uk', ['en-GB', 'en'], 'Europe/London'],
    ['BR', ['pt-BR', 'pt', 'en'], 'America/Sao_Paulo'],
    ['RU', ['ru-RU', 'ru', 'en'], 'Europe/Moscow'],
    ['AU', ['en-AU', 'en'], 'Australia/Sydney'],
  ])('of %s reads and lives as there', (country, languages, timezone) => {
    expect(visitorOf({ country })).toMatchObject({ languages, place: { timezone } });
  });

  it('has a place on earth and a time zone in every country', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const places = letters.flatMap((a) => letters.flatMap((b) => visitorOf({ country: a + b }).place ?? []));
    expect(places.length).toBeGreaterThan(240);
    for (const { timezone, latitude, longitude } of places) {
      expect(() => Intl.DateTimeFormat('en', { timeZone: timezone })).not.toThrow();
      expect(Math.abs(latitude)).toBeLessThanOrEqual(90);
      expect(Math.abs(longitude)).toBeLessThanOrEqual(180);
    }
  });

  it('reads what the request says first', () => {
    expect(visitorOf({ country: 'de', languages: ['fr'] }).languages).toEqual(['fr']);
    expect(visitorOf({ languages: [] }).languages).toEqual(['en-US', 'en']);
  });
});

describe('Accept-Language', () => {
  it('weighs as browsers do', () => {
    expect(acceptLanguage(['de-DE', 'de', 'en'])).toBe('de-DE,de;q=0.9,en;q=0.8');
    expect(acceptLanguage(Array(12).fill('x')).split(',').at(-1)).toBe('x;q=0.1');
  });
});
