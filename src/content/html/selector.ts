import { compile, selectAll } from 'css-select';
import type { Element, ParentNode } from 'domhandler';
import { ServiceError } from '../../errors.ts';
import { isTag } from './nodes.ts';

/** Whether a text is a supported CSS selector. */
export function isSelector(text: string): boolean {
  try {
    compile(text);
    return true;
  } catch {
    // css-select reports invalid selectors only by throwing.
    return false;
  }
}

/**
 * All elements that match a user's selector, in document order. `iframe` matches inlined frames too.
 * @throws ServiceError `BAD_REQUEST` for an invalid selector
 */
export function selectElements(selector: string, root: ParentNode): Element[] {
  if (!isSelector(selector)) {
    throw new ServiceError('BAD_REQUEST', `${JSON.stringify(selector)} is no CSS selector. Correct it.`);
  }
  return selectAll(includeInlinedFrames(selector), root).filter(isTag);
}

const QUOTED_OR_IFRAME = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?<=^|[\s>+~,(])iframe(?![\w-])/gi;

/**
 * Makes `iframe` also match inlined frames, which are `div` elements with the original tag name in an
 * attribute.
 */
function includeInlinedFrames(selector: string): string {
  return selector.replace(QUOTED_OR_IFRAME, (found) =>
    /^iframe$/i.test(found) ? ':is(iframe, div[data-original-tag="iframe"])' : found,
  );
}
