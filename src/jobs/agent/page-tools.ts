import { z } from 'zod';

/** Characters that are typed at once at most. */
const MAX_TEXT = 10_000;
/** Seconds that a call may wait at most. */
const MAX_WAIT_SECONDS = 15;

const ref = z
  .string()
  .regex(/^(?:f\d+)?e\d+$/, 'a ref is written like e5')
  .describe('the ref of the element in the newest view of the page, such as e5');

/**
 * The tools of a prompt in the browser of a session, each with its input and what the model is told about it.
 * None of them accepts code, headers or secrets, and none reaches anything but the tab in use.
 */
export const PAGE_TOOLS = {
  open: {
    description: 'Opens a URL in the tab. The result is the new page.',
    input: z.strictObject({ url: z.string().max(2_000) }),
    summarize: ({ url }: { url: string }) => url,
  },
  read: {
    description: 'Shows the page as it is now, or reads on in a long one.',
    input: z.strictObject({
      from: z.int().min(0).default(0).describe('the character to begin with'),
    }),
    summarize: ({ from }: { from: number }) => (from === 0 ? 'the page' : `the page from character ${from}`),
  },
  click: {
    description: 'Clicks an element. The result is the page after that.',
    input: z.strictObject({
      ref,
      acceptDialog: z
        .boolean()
        .default(false)
        .describe('whether to confirm a dialog that the click opens; otherwise it is dismissed'),
    }),
    summarize: ({ ref: element }: { ref: string }) => element,
  },
  type: {
    description:
      'Replaces the content of a field by a text, or selects the option of a list that has this label.',
    input: z.strictObject({
      ref,
      text: z.string().max(MAX_TEXT),
      submit: z.boolean().default(false).describe('whether to press Enter after that'),
    }),
    summarize: ({ ref: element }: { ref: string }) => element,
  },
  scroll: {
    description:
      'Scrolls the page by one screen. It is needed only for pages that load more while they scroll.',
    input: z.strictObject({ direction: z.enum(['up', 'down']) }),
    summarize: ({ direction }: { direction: string }) => direction,
  },
  wait: {
    description: 'Waits for a page that is still working, until a text appears or the time is over.',
    input: z.strictObject({
      seconds: z.int().min(1).max(MAX_WAIT_SECONDS),
      text: z.string().min(1).max(200).optional().describe('the text to wait for'),
    }),
    summarize: ({ seconds }: { seconds: number }) => `at most ${seconds} s`,
  },
  extract: {
    description: 'Reads the whole page for some data and returns it as JSON.',
    input: z.strictObject({
      request: z.string().min(1).max(2_000).describe('which data, and how it is to look'),
    }),
    summarize: () => 'data of the page',
  },
} as const;
