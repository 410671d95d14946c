import type { LanguageModel } from '../../content/language-model.ts';
import type { Findings, StoredAnswer } from './answer.ts';

/** An answer that is longer is no answer of a few sentences. */
const MAX_CHARACTERS = 1_500;

const INSTRUCTIONS = `You phrase the answers of the support of a web scraping service. Answer the question in two to four plain sentences, from the findings only. Name no cause, parameter, number, name or URL that the findings do not have. Where they do not answer the question, say so.`;

/**
 * Lets a language model phrase an answer. It only gets the findings, and decides neither about parameters nor
 * tests.
 * @returns `undefined` if its text is no answer from the findings, so that the answer stays as it is
 * @throws ServiceError `MODEL_…`
 */
export async function phraseAnswer(
  model: Pick<LanguageModel, 'write'>,
  { answer }: StoredAnswer,
  { findings, request }: { findings: Findings; request: string },
): Promise<string | undefined> {
  const { finding, verdicts, passages } = findings;
  const facts = [
    answer,
    ...(finding ? [finding.cause, finding.advice, ...finding.fixes.map(({ effect }) => effect)] : []),
    ...verdicts.map(({ evidence }) => evidence),
    ...passages.map(({ title, text }) => `${title}: ${text}`),
  ].join('\n');
  const text = await model.write({
    instructions: INSTRUCTIONS,
    request,
    data: [{ source: 'findings', text: facts }],
  });
  return isFounded(text, `${facts}\n${request}`) ? text : undefined;
}

/** Whether a text is short, and has no number, URL or code that its source does not have. */
function isFounded(text: string, source: string): boolean {
  const claims =
    text.match(/https?:\/\/[^\s)"']+|\d[\d,.]*\d|\d+|\b[A-Z]+(?:_[A-Z]+)+\b|\b[a-z]+[A-Z]\w+/g) ?? [];
  return text !== '' && text.length <= MAX_CHARACTERS && claims.every((claim) => source.includes(claim));
}
