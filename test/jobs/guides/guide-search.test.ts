import { beforeAll, describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode } from '../../../src/errors.ts';
import { GuideSearch } from '../../../src/jobs/guides/guide-search.ts';
import { anchorOf, type GuideSection, readGuides } from '../../../src/jobs/guides/read-guides.ts';
import { OFF_TOPIC, QUESTIONS } from './questions.ts';

/** The guides, and how sections of them are found by questions. */

let sections: GuideSection[];
let search: GuideSearch;
beforeAll(async () => {
  sections = await readGuides();
  search = new GuideSearch(sections);
});

const placesOf = (question: string) =>
  search.search(question, 3).map(({ path }) => path.replace('/docs/guides/', ''));

describe('the guides', () => {
  it.each(Object.keys(ERRORS) as ErrorCode[])('say what %s means and what to do about it', (code) => {
    const section = sections.find(({ path }) => path === `/docs/guides/errors#${anchorOf(code)}`);
    expect(section?.text).toContain(`HTTP ${ERRORS[code].status}. ${ERRORS[code].summary}.`);
    expect(section?.text).toMatch(/\*\*Remedy:\*\* .{10,}/);
  });

  it('have each anchor once, and every section that a question of the test expects', () => {
    const paths = sections.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    for (const [, expected] of QUESTIONS)
      for (const place of expected) expect(paths).toContain(`/docs/guides/${place}`);
  });
});

it('the guides name commands as they are typed where the service was started', async () => {
  const text = (await readGuides('npm start --')).map((section) => section.text).join('\n');
  expect(text).toContain('`npm start -- doctor`');
  expect(text).not.toMatch(/`winnow [a-z]/);
});

describe('the search of the guides', () => {
  it('finds the right section first for four of five questions, and among the first three for nineteen of twenty', () => {
    const missed = QUESTIONS.filter(([question, right]) => !right.includes(placesOf(question)[0] ?? ''));
    const lost = QUESTIONS.filter(
      ([question, right]) => !placesOf(question).some((place) => right.includes(place)),
    );
    const show = (list: typeof QUESTIONS) =>
      list
        .map(([question, right]) => `${question} → ${placesOf(question).join(', ')}, not ${right[0]}`)
        .join('\n');
    expect(missed.length, show(missed)).toBeLessThanOrEqual(QUESTIONS.length * 0.2);
    expect(lost.length, show(lost)).toBeLessThanOrEqual(QUESTIONS.length * 0.05);
  });

  it.each(OFF_TOPIC)('finds nothing for %s', (question) => {
    expect(placesOf(question)).toEqual([]);
  });
});
