import type { Element } from 'domhandler';
import { dropLines, whole } from './lines.ts';
import type { Pruned } from './pruning.ts';

/** Lines of documentation about the page and not its subject. */
const ABOUT_PAGE = whole(
  '(this page was )?last (updated|modified|edited)\\b.*(\\d|\\bago\\b).*',
  '(was|did) (this|the above) (page|article|topic|content|information|answer|section)?\\b.*(help(ful)?|useful|question)\\b.*',
  '(edit|improve|view) (this )?(page|article|doc)( (on|in) \\w+)?|edit (on|in) git(hub|lab)|suggest (an )?edits?|raise (an )?issue',
  'except as otherwise noted, the content of this page is licensed.*',
);

/** Drops the lines of documentation that say when the page was changed, and ask whether it was of use. */
export function dropNotes(root: Element, pruned: Pruned): void {
  dropLines(root, pruned, ({ element, text }) => (ABOUT_PAGE.test(text) ? [element] : []));
}
