import { countriesOf } from '../../../src/content/redaction/countries.ts';
import { EntityFinder } from '../../../src/content/redaction/find-entities.ts';
import type { Span } from '../../../src/content/redaction/redaction.ts';
import type { MarkedLine } from './marked-texts.ts';

/** How well the rules find marked data. */
export interface RedactionScore {
  marks: number;
  /** The share of marked data that is replaced, each as a whole and as its own kind. */
  recall: number;
  /** The share of replaced data that is marked as this kind, and no more than {@link SLACK} characters longer. */
  precision: number;
  /** What was missed, or replaced without being marked. */
  faults: string[];
}

/** Characters, such as a bracket, that may be replaced around marked data. */
const SLACK = 3;

/** Compares what the rules find in texts with their marks. */
export function scoreRedaction(lines: readonly MarkedLine[]): RedactionScore {
  const faults: string[] = [];
  let [marks, spans, missed, wrong] = [0, 0, 0, 0];
  for (const { language, text, marks: marked } of lines) {
    const countries = countriesOf(`<html lang="${language}">`, 'https://site.example/');
    const found = new EntityFinder({ mode: 'accurate', replaceStyle: 'tag' }, countries).find(text);
    const tell =
      (fault: string) =>
      ({ entity, start, end }: Span) =>
        faults.push(`${language}: ${fault} ${entity} ${text.slice(start, end)} in ${text}`);
    const misses = marked.filter((mark) => !found.some((span) => isWithin(mark, span, 0)));
    const mistakes = found.filter((span) => !marked.some((mark) => isWithin(span, mark, SLACK)));
    misses.forEach(tell('missed'));
    mistakes.forEach(tell('mistook'));
    marks += marked.length;
    spans += found.length;
    missed += misses.length;
    wrong += mistakes.length;
  }
  return { marks, recall: 1 - missed / marks, precision: 1 - wrong / spans, faults };
}

const isWithin = (inner: Span, outer: Span, slack: number) =>
  inner.entity === outer.entity && inner.start >= outer.start - slack && inner.end <= outer.end + slack;
