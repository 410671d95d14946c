import type { Stage } from '../stage.ts';
import { dropLines, wholeLinePattern } from './text-lines.ts';

/** Lines of documentation about the page instead of its subject. */
const META_LINE = wholeLinePattern(
  '(this page was )?last (updated|modified|edited)\\b.*(\\d|\\bago\\b).*',
  '(was|did) (this|the above) (page|article|topic|content|information|answer|section)?\\b.*(help(ful)?|useful|question)\\b.*',
  '(edit|improve|view) (this )?(page|article|doc)( (on|in) \\w+)?|edit (on|in) git(hub|lab)|suggest (an )?edits?|raise (an )?issue',
  'except as otherwise noted, the content of this page is licensed.*',
);

/**
 * Drops the lines of a documentation page about the page itself: last update, feedback, edit links and
 * licence.
 */
export const metaLinesStage: Stage = {
  name: 'drop meta lines',
  types: ['documentation'],
  run({ root, pruned }) {
    dropLines(root, pruned, ({ element, text }) => (META_LINE.test(text) ? [element] : []));
  },
};
