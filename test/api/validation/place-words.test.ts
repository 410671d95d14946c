import { describe, expect, it, vi } from 'vitest';
import { adviseOnLanguage, countryIn } from '../../../src/api/validation/place-words.ts';
import { tagOfLanguage } from '../../../src/schemas/language.ts';

describe('advice on the place of a visitor', () => {
  it('repeats the languages of a list', () => {
    expect(adviseOnLanguage(['german', 'pt_BR'])).toBe('Use location: {"languages":["de","pt-BR"]}.');
  });

  it('has no more languages of a long list than a location may have', () => {
    const advice = adviseOnLanguage(Array(1_000).fill('german'));
    expect(advice.match(/"de"/g)).toHaveLength(10);
  });

  it('looks at no more entries of a long list', () => {
    const list = ['zz', ...Array(1_000).fill('zzzz')];
    const read = vi.fn();
    const watched = new Proxy(list, {
      get(from, name) {
        read();
        return Reflect.get(from, name);
      },
    });
    adviseOnLanguage(watched);
    countryIn(watched);
    expect(read.mock.calls.length).toBeLessThan(100);
  });

  it('reads the names of languages once', () => {
    tagOfLanguage('german');
    const made = vi.spyOn(Intl, 'DisplayNames');
    expect(['german', 'French', 'zzzz'].map(tagOfLanguage)).toEqual(['de', 'fr', undefined]);
    expect(made).not.toHaveBeenCalled();
    made.mockRestore();
  });
});
