import { mergeData } from '../../content/extraction/check-data.ts';
import { fieldsOf, isJsonObject } from '../../json/json-object.ts';
import type { Step } from '../../storage/agent-steps/step.ts';
import type { Answer } from './answer.ts';
import type { ResultText } from './conversation.ts';
import type { RulesReason } from './task.ts';

/** The result of a run, as its blob contains it. */
export interface RunResult extends Answer {
  /** URLs by the member of the data that they are the source of. */
  sourcesByField: Record<string, string[]>;
  /** The number of pages that were opened. */
  pages: number;
  /** Tokens that the language model has used for the run. Absent in results of earlier versions. */
  modelTokens?: number;
}

/** A page that a run has opened. */
export interface OpenedPage {
  sequence: number;
  /** The URL after redirects. */
  url: string;
  text: string;
  /** The data that rules extracted from it; absent unless it was requested. */
  json?: unknown;
  /** How many pages of a document were read, if not all. */
  cut?: { read: number; total: number };
}

/** Reads the document of a scrape. */
export function toPage(sequence: number, document: unknown): OpenedPage {
  const { markdown, json, metadata } = fieldsOf(document);
  const { url, sourceURL, title, statusCode, numPages, totalPages } = fieldsOf(metadata);
  const [read, total] = [Number(numPages), Number(totalPages)];
  const status = Number(statusCode) >= 400 ? `HTTP status ${statusCode}\n` : '';
  return {
    sequence,
    url: String(url ?? sourceURL ?? ''),
    text: `${status}${typeof title === 'string' ? `Title: ${title}\n\n` : ''}${markdown ?? ''}`,
    ...(json !== undefined && { json }),
    ...(read < total && { cut: { read, total } }),
  };
}

/** Adds to a result which documents were not read to their end. */
export function withCutDocuments(answer: Answer, pages: readonly OpenedPage[]): Answer {
  const cuts = new Map(pages.flatMap(({ url, cut }) => (cut ? [[url, cut]] : [])));
  if (cuts.size === 0) return answer;
  const parts = [...cuts].map(([url, { read, total }]) => `${read} of ${total} pages of ${url}`);
  const warning = `Only a part of some documents was read, because each page costs a credit: ${parts.join(', ')}.`;
  return { ...answer, warning: [answer.warning, warning].filter(Boolean).join(' ') };
}

/** Returns the text of a page from one character on. */
export const openedPageText = ({ sequence, url, text }: OpenedPage, from = 0): ResultText => ({
  source: url,
  text: text.slice(from),
  page: { sequence, from: Math.min(from, text.length), characters: text.length },
});

/** Links of a map or search that the model gets at most. */
const MAX_LINKS = 200;

/** Lists the links that a map or search found, with what is known about them. */
export function linksOf(result: unknown): { url: string; title: string; description: string }[] {
  const { links, data } = fieldsOf(result);
  const found = Array.isArray(links) ? links : fieldsOf(data).web;
  if (!Array.isArray(found)) return [];
  return found.flatMap((link) => {
    const { url, title, description } = fieldsOf(link);
    return typeof url === 'string'
      ? [{ url, title: String(title ?? ''), description: String(description ?? '') }]
      : [];
  });
}

/** Writes the links of a map or search for the model. */
export const linksText = (step: Pick<Step, 'summary'>, result: unknown): ResultText => {
  const links = linksOf(result);
  const lines = links
    .slice(0, MAX_LINKS)
    .map(({ url, title, description }) => [url, title, description].filter(Boolean).join(' – '));
  return { source: step.summary, text: lines.length ? lines.join('\n') : 'Nothing was found.' };
};

/**
 * Characters of a page, and values of a member of the data, that are compared at most to find where the data
 * is from.
 */
const MAX_SEARCHED_CHARACTERS = 200_000;
const MAX_SEARCHED_VALUES = 50;

/**
 * Finds the pages that each member of some data is from: those that contain one of its values, or else all
 * sources.
 * @param pages read one after the other, so that only one of them is in memory
 * @returns URLs by the name of the member; empty unless the data is an object
 */
export async function sourcesByField(
  data: unknown,
  pages: AsyncIterable<OpenedPage> | Iterable<OpenedPage>,
  sources: readonly string[],
): Promise<Record<string, string[]>> {
  const members = Object.entries(fieldsOf(data)).map(([name, value]) => ({
    name,
    values: leavesOf(value)
      .slice(0, MAX_SEARCHED_VALUES)
      .map(normalized)
      .filter((each) => each.length > 1),
    found: new Set<string>(),
  }));
  for await (const page of pages) {
    const text = normalized(page.text.slice(0, MAX_SEARCHED_CHARACTERS));
    for (const { values, found } of members)
      if (values.some((each) => text.includes(each))) found.add(page.url);
  }
  return Object.fromEntries(
    members.map(({ name, found }) => [name, [...new Set(found.size ? found : sources)]]),
  );
}

const normalized = (text: string) => text.toLowerCase().replace(/[\s,]+/g, ' ');

/** The texts and numbers within a value. */
function leavesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  if (isJsonObject(value)) return Object.values(value).flatMap(leavesOf);
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
}

/** Says why rules take the place of the model in a run. */
export const RULES_REASONS: Record<RulesReason, string> = {
  'no-model': 'No language model is configured',
  'budget-spent': 'The team has used up its language model tokens of today',
};

const byRulesWarning = (reason: RulesReason) =>
  `${RULES_REASONS[reason]}, so the data was found by rules: values whose names match the property names of the schema. Check it before you rely on it.`;

/**
 * Merges what rules extracted from pages: lists are joined, objects merged, and of other values the first is
 * kept.
 * @returns `undefined` if no page has any of it
 */
export function mergeByRules(pages: readonly OpenedPage[], reason: RulesReason): Answer | undefined {
  const withData = pages.filter(({ json }) => json !== undefined && json !== null);
  if (withData.length === 0) return undefined;
  return {
    data: mergeData(withData.map(({ json }) => json)),
    sources: withData.map(({ url }) => url),
    warning: byRulesWarning(reason),
  };
}
