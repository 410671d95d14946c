import { cssOfXPath } from '../../content/html/css-of-xpath.ts';
import { isShort } from './examples.ts';
import { json } from './meanings/meaning.ts';
import type { Replacement } from './replacement.ts';

/** Members of actions, sessions, webhooks and other objects. */
export const MEMBER_NAMES: readonly Replacement[] = [
  {
    names: ['text', 'label', 'name', 'role'],
    beside: 'all',
    advice: (value) =>
      `Use selector, which also finds a text: ${json(`button:has-text("${typeof value === 'string' && isShort(value) ? value : 'OK'}")`)}.`,
  },
  {
    names: ['selector', 'element', 'clip'],
    beside: 'fullPage',
    advice: 'Leave it out: there are no screenshots of elements. With fullPage: true, it has the whole page.',
  },
  { names: ['for', 'until', 'element'], beside: 'milliseconds', option: 'selector' },
  {
    names: ['timeout'],
    beside: 'milliseconds',
    advice: (value) =>
      `For a time, use milliseconds${typeof value === 'number' ? `: ${value}` : ''}. With selector, leave it out: an element is waited for up to 10 seconds.`,
  },
  ...['direction', 'key', 'all', 'script'].map((beside) => ({
    names: ['times', 'repeat', 'count', 'iterations', 'repetitions'],
    beside,
    advice: 'Leave it out, and write the action as often as it is to be done.',
  })),
  {
    names: ['systemPrompt', 'system', 'instructions'],
    beside: 'checkPromptInjection',
    advice: 'Leave it out, and say all of it in prompt.',
  },
  {
    names: ['model', 'llm', 'provider', 'temperature'],
    beside: 'checkPromptInjection',
    advice: 'Leave it out: the operator of the service chooses the language model.',
  },
  { names: ['ocr', 'forceOcr', 'useOcr'], beside: 'maxPages', advice: 'Use mode: "ocr".' },
  {
    names: ['ms', 'time', 'duration', 'delay', 'timeout', 'seconds', 'wait'],
    beside: 'milliseconds',
    option: 'milliseconds',
  },
  {
    names: ['selector'],
    beside: 'text',
    advice: (value) =>
      `Text goes where the focus is. Click the field first, with an action of its own: ${json({ type: 'click', selector: isShort(value) ? value : '…' })}.`,
  },
  {
    names: ['xpath'],
    beside: 'selector',
    advice: (value) =>
      `Use selector: ${json((typeof value === 'string' && cssOfXPath(value)) || '#content')}. XPath is not read.`,
  },
  { names: ['value', 'input', 'content'], beside: 'text', option: 'text' },
  { names: ['code', 'javascript', 'js', 'expression'], beside: 'script', option: 'script' },
  { names: ['script', 'javascript', 'source'], beside: 'code', option: 'code' },
  {
    names: ['css', 'element', 'target', 'query'],
    beside: 'selector',
    option: 'selector',
    form: 'a CSS selector',
  },
  {
    names: ['amount', 'pixels', 'x', 'y', 'distance'],
    beside: 'direction',
    advice:
      'Leave it out: a scroll goes on by one height of the window. Use direction, which is "up" or "down".',
  },
  {
    names: ['secret', 'signingSecret', 'token'],
    beside: 'events',
    advice:
      'Leave it out: the service signs events by itself, with the secret of the team. A token of yours goes into headers.',
  },
];
