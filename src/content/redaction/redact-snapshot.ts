import type { Warn } from '../html/clean.ts';
import type { ActionResults, DocumentParts, Snapshot } from '../snapshot.ts';
import { countriesOf } from './countries.ts';
import { EntityFinder } from './find-entities.ts';
import { redactHtml } from './redact-html.ts';
import { redactData, redactJson } from './redact-json.ts';
import { redactUrl } from './redact-url.ts';
import { type Redaction, replacementOf, replaceSpans } from './redaction.ts';

/** Says what was not searched, because it is not text. */
const NOT_TEXT = 'redactPII replaced nothing, because the page is a binary file.';

/**
 * Replaces personal data in all texts of a page, before anything is derived from it. The URLs of the page
 * itself stay.
 */
export function redactSnapshot(snapshot: Snapshot, redaction: Redaction, warn: Warn): Snapshot {
  const { kind, text, document, actions } = snapshot;
  if (kind === 'base64') {
    warn(NOT_TEXT);
    return snapshot;
  }
  const redactor = new Redactor(new EntityFinder(redaction, countriesOf(text, snapshot.url)), redaction);
  return {
    ...snapshot,
    text: redactor[kind](text),
    ...(document && { document: redactor.document(document) }),
    ...(actions && { actions: redactor.actions(actions) }),
  };
}

class Redactor {
  readonly #finder: EntityFinder;
  readonly #redaction: Redaction;

  constructor(finder: EntityFinder, redaction: Redaction) {
    this.#finder = finder;
    this.#redaction = redaction;
  }

  html(source: string): string {
    return redactHtml(source, this.#finder, this.#redaction);
  }

  json(source: string): string {
    return redactJson(source, this.#finder, this.#redaction);
  }

  /** Redacts plain text, or XML such as that of a feed. */
  text(source: string): string {
    if (/^\s*</.test(source.slice(0, 100))) return this.html(source);
    return replaceSpans(source, this.#finder.find(source), (entity, length) =>
      replacementOf(entity, length, this.#redaction.replaceStyle),
    );
  }

  document({ pages, ...parts }: DocumentParts): DocumentParts {
    if (!pages) return parts;
    return {
      ...parts,
      pages: pages.map((page) => ({
        ...page,
        html: this.html(page.html),
        blocks: page.blocks.map((block) => ({ ...block, content: this.text(block.content) })),
      })),
    };
  }

  actions({ scrapes, javascriptReturns, ...files }: ActionResults): ActionResults {
    return {
      ...files,
      scrapes: scrapes.map(({ url, html }) => ({
        url: redactUrl(url, this.#redaction),
        html: this.html(html),
      })),
      javascriptReturns: javascriptReturns.map(({ type, value }) => ({
        type,
        value: redactData(value, this.#finder, this.#redaction),
      })),
    };
  }
}
