import { type Element, isTag } from 'domhandler';
import { textContent } from 'domutils';
import type { Pruned } from './pruning.ts';
import type { Survey } from './survey.ts';

/** A longer paragraph has more to say. Characters that are not blanks. */
const LONGEST = 220;
/** What may be a paragraph of its own, or a line set like one. */
const LINES = new Set('p div section aside center strong em h2 h3 h4 h5 h6'.split(' '));
/** How lines begin that ask readers to go elsewhere. */
const CALL = new RegExp(
  `^\\W*(${[
    '((and |you can |please )?follow (us|me|him|her|them|\\w+( \\w+)?) on|follow @)',
    'subscribe (to|now|here)|sign up (for|to|here|now)|click here to (subscribe|sign|join|read|follow)',
    'join (our|the|us)|get (our|the) .* (newsletter|inbox|delivered)|download (our|the) .* app',
    'like this (story|article|post)|share this|if you (like|enjoy)ed this',
    'listen to .* (live|podcast|here)|tell us what|have a (tip|story|question)',
    'reach (the|him|her) (reporter|author|writer)|(write|e-?mail) (to \\w+|him|her|us)',
  ].join('|')})`,
  'i',
);

/** Lines that are no text at all: labels of advertisements and of what scripts put there, and who else worked on it. */
const LABEL = new RegExp(
  `^\\W*(${[
    'advert(isement)?s?|sponsored( content)?|anzeige|werbung|publicidade?|publicit[àé]',
    'subscribe|highlights|loading|share|tags|comments?',
    '(article|story) continues (below|after).*|(scroll|continue reading|read on) .*(below|more|main story).*',
    'this slideshow requires javascript',
    '(additional |with )?(reporting|writing|editing|edited|compiled) by .*',
  ].join('|')})\\W*$`,
  'i',
);

/** Drops the lines between and below an article's paragraphs that ask readers to follow, subscribe or share. */
export function dropCalls(root: Element, { titled }: Survey, { left, dropped }: Pruned): void {
  const visit = (element: Element) => {
    for (const child of element.children) {
      const rest = isTag(child) && !dropped.has(child) ? left.get(child) : undefined;
      if (!isTag(child) || !rest || rest.length === 0) continue;
      const isLine = LINES.has(child.name) && rest.length <= LONGEST && !titled.has(child);
      const text = isLine ? textContent(child).replace(/\s+/g, ' ') : '';
      // Calls lead somewhere.
      if ((rest.links > 0 && CALL.test(text)) || (text && LABEL.test(text))) dropped.add(child);
      else visit(child);
    }
  };
  visit(root);
}
