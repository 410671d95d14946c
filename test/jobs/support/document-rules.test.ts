import { describe, expect, it } from 'vitest';
import { factsOf } from '../../../src/jobs/support/document-facts.ts';
import { explainDocument } from '../../../src/jobs/support/document-rules.ts';
import { mentionsIn, mentionsOf } from '../../../src/jobs/support/mentions.ts';
import { judgeTrial } from '../../../src/jobs/support/verdict.ts';
import type { Document } from '../../../src/schemas/document.ts';
import { scrapeBody } from '../../../src/schemas/scrape.ts';

const URL = 'http://a.test/';
const METADATA = { url: URL, sourceURL: URL, statusCode: 200 } as Document['metadata'];
const SENTENCE = 'The winter timetable of the mountain railway begins in December. ';

const documentOf = (fields: Partial<Document>): Document => ({
  ...fields,
  metadata: { ...METADATA, ...fields.metadata },
});

/** What support says of a document that a request gave. */
function explain(question: string, options: object, fields: Partial<Document>) {
  const document = factsOf(documentOf(fields), mentionsOf(question));
  const request = scrapeBody.parse({ url: URL, ...options });
  return explainDocument({ url: URL, request, status: 'completed', attempts: [], document }, question);
}

describe('a document', () => {
  it('that is a copy is explained by the selectors before its age', () => {
    const fields = { markdown: '', metadata: { ...METADATA, cacheState: 'hit' as const } };
    const [first] = explain('Why is it empty?', { excludeTags: ['main'] }, fields)!.fixes;
    expect(first?.parameters).toEqual({ excludeTags: [] });
    const warning = 'includeTags: .a match nothing on the page, so nothing of it was kept.';
    expect(explain('Why is it empty?', { includeTags: ['.a'] }, { ...fields, warning })?.topic).toBe(
      'includeTags',
    );
  });

  it('without the format that is asked for is explained by the formats, and not by late content', () => {
    for (const formats of [['links'], []]) {
      const found = explain('Why is there no markdown?', { formats }, {});
      expect(found).toMatchObject({ topic: 'formats', confidence: 'high' });
      expect(found!.fixes.map(({ parameters }) => parameters)).toEqual([
        { formats: [...scrapeBody.parse({ url: URL, formats }).formats, { type: 'markdown' }] },
      ]);
    }
  });

  it('with a warning of the scrape is explained by it', () => {
    const formats = [{ type: 'json', schema: { type: 'object', properties: { price: { type: 'number' } } } }];
    const warning =
      'json was left out, because nothing on the page matches the property names of the schema.';
    const found = explain('Why is the price missing?', { formats }, { warning });
    expect(found).toMatchObject({ cause: expect.stringContaining(warning), fixes: [] });
  });

  it('that the requested page has led to by a login is explained by it', () => {
    const metadata = { ...METADATA, url: 'http://a.test/login?next=%2F' };
    expect(explain('Where is it?', {}, { markdown: 'Sign in', metadata })?.topic).toBe('login');
    expect(explain('Where is it?', {}, { markdown: 'Sign in' })?.topic).toBe('content');
  });

  it('with many words is only guessed about', () => {
    const markdown = SENTENCE.repeat(9);
    expect(explain('Why are the reviews missing?', {}, { markdown })).toMatchObject({
      confidence: 'low',
      isGuess: true,
    });
    expect(explain('What is this?', {}, { markdown })).toBeUndefined();
  });

  it('is counted by the words that readers see', () => {
    const wordsOf = (fields: Partial<Document>) => factsOf(documentOf(fields), mentionsOf('')).words;
    expect(wordsOf({ markdown: '![](http://a.test/one.png) [two](http://a.test/three)' })).toBe(1);
    expect(wordsOf({ html: '<p class="a b">one <b>two</b></p><script>var three</script>' })).toBe(2);
    expect(factsOf(documentOf({ links: [] }), mentionsOf('')).hasText).toBe(false);
  });

  it.each(['<'.repeat(200_000), '['.repeat(200_000), '](('.repeat(70_000), '<script'.repeat(30_000)])(
    'that is hostile is read in linear time: %#',
    (text) => {
      const read = factsOf(documentOf({ html: text }), mentionsOf('Why?'));
      expect(read.hasText).toBe(true);
      expect(factsOf(documentOf({ markdown: text }), mentionsOf('Why?')).hasText).toBe(true);
    },
  );
});

describe('what a question names', () => {
  it.each([
    ['Why is "best railway" missing?', ['best railway'], []],
    [
      'The phone number 0800-555-4711 in the footer is not there',
      ['0800-555-4711'],
      ['phone', 'number', 'footer'],
    ],
    ['The ticket costs 12 EUR', ['12 EUR'], ['ticket', 'costs']],
    ['Why is the markdown empty?', [], []],
    ['Why is http://a.test/railway empty?', [], []],
  ])('%j: %j, %j', (question, exact, words) => {
    expect(mentionsOf(question)).toEqual({ exact, words });
  });

  it('is found in a text as whole words, and as it is in quotes', () => {
    const mentions = mentionsOf('Why is "Best Railway" missing, and the review?');
    expect(mentionsIn('The best railway of all reviews', mentions)).toEqual(['Best Railway']);
  });
});

describe('a test with more words', () => {
  const question = 'Why are the reviews missing?';
  const judge = (asked: string, [before, after]: [string, string]) => {
    const mentions = mentionsOf(asked);
    const facts = (markdown: string) => factsOf(documentOf({ markdown }), mentions);
    const fix = { parameters: { onlyMainContent: false }, expects: 'moreContent' as const, effect: '' };
    const document = { ...facts(after), url: URL, links: [] };
    return judgeTrial({ fixes: [fix], document }, { document: facts(before), mentions });
  };
  const text = SENTENCE.repeat(9);
  const navigation = 'Home Tickets Stations Contact Imprint '.repeat(9);

  it('proves nothing without what the question names', () => {
    expect(judge(question, [text, text + navigation]).result).toBe('failure');
    expect(judge(question, [text, `${text} Show reviews`]).result).toBe('failure');
  });

  it('proves a cause with it, which is doubtful for a single word and certain for a text in quotes', () => {
    const reviews = 'Reviews of our visitors: it is the best railway.';
    const found = judge(question, [text, text + reviews]);
    expect(found).toMatchObject({ result: 'success', isDoubtful: true });
    const quoted = judge('Why is "best railway" missing?', [text, text + reviews]);
    expect(quoted.result).toBe('success');
    expect(quoted).not.toHaveProperty('isDoubtful');
  });

  it('proves a cause of an empty document by any text', () => {
    expect(judge('Why is it empty?', ['', 'Closed on Monday'])).toMatchObject({ result: 'success' });
  });
});
