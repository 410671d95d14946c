import { z } from 'zod';
import { viewport } from '../content/formats/screenshot.ts';
import { bounded } from '../json/bounded.ts';
import { exactlyOne, withKeywords } from '../json/schema-keywords.ts';

/** So few milliseconds are hardly meant as a wait: a screen draws two pictures in that time. Seconds are likelier. */
export const FEW_MS = 30;

const selector = z.string().min(1);

const wait = withKeywords(
  z
    .strictObject({
      type: z.literal('wait'),
      milliseconds: z.int().min(1).optional(),
      selector: selector.optional(),
    })
    .refine((action) => (action.milliseconds === undefined) !== (action.selector === undefined), {
      message:
        'wait requires exactly one of milliseconds and selector. Write {"type":"wait","milliseconds":1000}',
    }),
  exactlyOne('milliseconds', 'selector'),
);

/** An action that the browser performs on a page before the content of the page is read. */
const action = z.discriminatedUnion('type', [
  wait,
  z.strictObject({ type: z.literal('click'), selector, all: z.boolean().default(false) }),
  z.strictObject({ type: z.literal('write'), text: z.string() }),
  z.strictObject({ type: z.literal('press'), key: z.string().min(1) }),
  z.strictObject({
    type: z.literal('scroll'),
    direction: z.enum(['up', 'down']).default('down'),
    selector: selector.optional(),
  }),
  z.strictObject({
    type: z.literal('screenshot'),
    fullPage: z.boolean().default(false),
    quality: z.int().min(1).max(100).optional(),
    viewport: viewport.optional(),
  }),
  z.strictObject({ type: z.literal('scrape') }),
  z.strictObject({ type: z.literal('executeJavascript'), script: z.string().min(1) }),
  z.strictObject({
    type: z.literal('pdf'),
    format: z
      .enum(['A0', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'Letter', 'Legal', 'Tabloid', 'Ledger'])
      .default('Letter'),
    landscape: z.boolean().default(false),
    scale: z.number().min(0.1).max(2).default(1),
  }),
]);

export const actions = bounded(z.array(action), { entries: 50 });

/** An action after validation. */
export type Action = z.output<typeof action>;

/** The time in ms that all wait actions take together. A wait for an element counts as one second. */
export function waitingMs(list: z.output<typeof actions>): number {
  return list.reduce((sum, each) => sum + (each.type === 'wait' ? (each.milliseconds ?? 1000) : 0), 0);
}
