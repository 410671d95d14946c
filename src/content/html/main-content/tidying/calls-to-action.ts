import type { Element } from 'domhandler';
import { nextElementSibling } from 'domutils';
import { isHeading, isParentElement } from '../../nodes.ts';
import type { PrunedPage, Stage } from '../stage.ts';
import { findRelatedLinks } from './related-links.ts';
import { dropLines, lineStartPattern, wholeLinePattern } from './text-lines.ts';

/** The beginnings of lines that ask readers to follow, subscribe or share. */
const CALL_TO_ACTION = lineStartPattern(
  '((and |you can |please )?follow (us|me|him|her|them|\\w+( \\w+)?) on|follow @)',
  "follow .*(full|complete|live|all (of )?our) coverage|more (ap|afp|reuters|bloomberg)( [\\w'’]+){0,3}:",
  'follow .* on (facebook|twitter|instagram|linkedin|youtube|tiktok|threads|x)\\b',
  'subscribe (to|now|here)|sign up (for|to|here|now)|click here to (subscribe|sign|join|read|follow|get .* app)',
  'get .* by clicking here',
  'join (our|the|us)|get (our|the) .* (newsletter|inbox|delivered)|download (our|the) .* app',
  'like this (story|article|post)|share this|if you (like|enjoy)ed this',
  'listen to .* (live|podcast|here)|tell us what|have a (tip|story|question)',
  'reach (the|him|her) (reporter|author|writer)|(write|e-?mail) (to \\w+|him|her|us)',
);

/**
 * Whole lines that are not part of the text: labels of advertisements and widgets, and credits of
 * contributors.
 */
const LABEL = wholeLinePattern(
  'advert(isement)?s?|sponsored( content)?|anzeige|werbung|publicidade?|publicit[àé]',
  'subscribe|highlights|loading|share|tags|comments?',
  '(article|story) continues (below|after).{0,40}|(scroll|continue reading|read on) (.{0,40} )?(below|more|main story)( .{0,20})?',
  'this slideshow requires javascript',
  'like this (article|post|story)\\?.*|tell us what (you|do you) think',
);
const WORK = '(?:[Rr]eporting|[Ww]riting|[Ee]diting|[Ee]dited|[Cc]ompiled) by ';
/** A name with a capital, and the words after it to the end of a sentence; initials have a dot as well. */
const NAMES = '\\p{Lu}(?:[^.!?;]|(?<=\\b\\p{Lu})\\.)*';
/** Whole lines with the names of those who worked on an article. */
const CREDIT = new RegExp(
  [
    `^\\W*(?:[Aa]dditional |[Ww]ith )?${WORK}${NAMES}(?:[.;]\\s*${WORK}${NAMES})*\\W*$`,
    '^\\W*\\p{Lu}.* contributed( \\w+)? to this (report|story|article)\\W*$',
  ].join('|'),
  'u',
);

/** The share of linked text in a list of links. */
const MIN_LINKED_SHARE = 0.5;

/**
 * Drops the lines between and below an article's paragraphs that ask readers to follow, subscribe or share,
 * and the links to other articles.
 */
export const callsToActionStage: Stage = {
  name: 'drop calls to action',
  types: ['article'],
  run({ root, index, pruned }) {
    dropLines(root, pruned, (line) => {
      const { element, text, measure } = line;
      if (index.titled.has(element)) return [];
      // Every call to action has a link.
      const hasLink = measure.links > 0 || text.includes('://');
      const isLabel =
        (LABEL.test(text) || CREDIT.test(text)) && !isListed(element) && !introducesText(element, pruned);
      return (hasLink && CALL_TO_ACTION.test(text)) || isLabel
        ? [element]
        : findRelatedLinks(line, index, pruned);
    });
  },
};

/** Whether an element is one of the things that a list names. */
const isListed = ({ parent }: Element) => isParentElement(parent) && parent.name === 'li';

/** Whether text that is not linked follows a heading, which is therefore one of the outline. */
function introducesText(element: Element, { remaining }: PrunedPage): boolean {
  const next = isHeading(element) ? nextElementSibling(element) : null;
  const { length = 0, linked = 0 } = (next && remaining.get(next)) ?? {};
  return length > 0 && linked < MIN_LINKED_SHARE * length;
}
