import { describe, expect, it } from 'vitest';
import { type Part, readMarkedTexts } from '../../support/redaction/marked-texts.ts';
import { scoreRedaction } from '../../support/redaction/score.ts';

/** The rules for personal data on texts in ten languages, of which the rules were fitted to one part only. */

describe.each<Part>(['tuned', 'held out'])('in the %s texts of ten languages', (part) => {
  const lines = readMarkedTexts(part);

  it('are enough marked data of each kind', () => {
    const marks = lines.flatMap(({ marks }) => marks);
    const counts = Map.groupBy(marks, ({ entity }) => entity);
    expect(new Set(lines.map(({ language }) => language)).size).toBe(10);
    expect(marks.length).toBeGreaterThanOrEqual(250);
    for (const entity of ['EMAIL', 'PHONE', 'LOCATION', 'FINANCIAL', 'SECRET'] as const)
      expect(counts.get(entity)?.length, entity).toBeGreaterThanOrEqual(30);
  });

  it('at least 97 % of the data is replaced, and 97 % of what is replaced is data', () => {
    const { recall, precision, faults } = scoreRedaction(lines);
    expect(recall, faults.join('\n')).toBeGreaterThanOrEqual(0.97);
    expect(precision, faults.join('\n')).toBeGreaterThanOrEqual(0.97);
  });
});
