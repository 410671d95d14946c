import { describe, expect, it } from 'vitest';
import { mentionsOf } from '../../../src/jobs/support/mentions.ts';

describe('mentionsOf', () => {
  it.each([
    ['Where is the price € 1.299,00?', ['€ 1.299,00']],
    ['It should cost 12,50 EUR or 20%', ['12,50 EUR', '20%']],
    ['Why is AB-12 of 2027-01-02 missing?', ['AB-12', '2027-01-02']],
    ['Wo ist Übung-12a?', ['Übung-12a']],
    ['It lacks "the offer", x_AB-12 and .5%', ['the offer', '5%']],
  ])('finds what %j names', (question, exact) => {
    expect(mentionsOf(question).exact).toEqual(exact);
  });

  it.each(['1', '1.', 'ä', 'äa', '1-1', '-1ä', '_1'])(
    'reads a question of %j alone in linear time',
    (text) => {
      expect(mentionsOf(`${text.repeat(200_000)}!`).exact.length).toBeLessThanOrEqual(20);
    },
  );
});
