import type { Element } from 'domhandler';
import { beginning, dropLines, whole } from './lines.ts';
import type { Pruned } from './pruning.ts';
import { referralsAt } from './referrals.ts';
import type { Survey } from './survey.ts';

/** How lines begin that ask readers to go elsewhere. */
const CALL = beginning(
  '((and |you can |please )?follow (us|me|him|her|them|\\w+( \\w+)?) on|follow @)',
  "follow .*(full|complete|live|all (of )?our) coverage|more (ap|afp|reuters|bloomberg)( [\\w'’]+){0,3}:",
  'follow .* on (facebook|twitter|instagram|linkedin|youtube|tiktok|threads|x)\\b',
  'subscribe (to|now|here)|sign up (for|to|here|now)|click here to (subscribe|sign|join|read|follow)',
  'join (our|the|us)|get (our|the) .* (newsletter|inbox|delivered)|download (our|the) .* app',
  'like this (story|article|post)|share this|if you (like|enjoy)ed this',
  'listen to .* (live|podcast|here)|tell us what|have a (tip|story|question)',
  'reach (the|him|her) (reporter|author|writer)|(write|e-?mail) (to \\w+|him|her|us)',
);

/** Lines that are no text at all: labels of advertisements and of what scripts put there, and who else worked on it. */
const LABEL = whole(
  'advert(isement)?s?|sponsored( content)?|anzeige|werbung|publicidade?|publicit[àé]',
  'subscribe|highlights|loading|share|tags|comments?',
  '(article|story) continues (below|after).*|(scroll|continue reading|read on) .*(below|more|main story).*',
  'this slideshow requires javascript',
  '(additional |with )?(reporting|writing|editing|edited|compiled) by .*',
  '.* contributed( \\w+)? to this (report|story|article)',
  'like this (article|post|story)\\?.*|tell us what (you|do you) think',
);

/**
 * Drops the lines between and below an article's paragraphs that ask readers to follow, subscribe or share, and those
 * that lead to other articles.
 */
export function dropCalls(root: Element, survey: Survey, pruned: Pruned): void {
  dropLines(root, pruned, (line) => {
    const { element, text, rest } = line;
    if (survey.titled.has(element)) return [];
    // Calls lead somewhere.
    const leads = rest.links > 0 || text.includes('://');
    return (leads && CALL.test(text)) || LABEL.test(text) ? [element] : referralsAt(line, survey, pruned);
  });
}
