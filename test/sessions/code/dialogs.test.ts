import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Language } from '../../../src/schemas/session.ts';
import { connectRaw, type RawClient } from '../../support/browser/protocol.ts';
import { noBubblewrap } from '../../system/sandbox/code-sandbox.ts';
import { type CodeSession, startCodeSession } from './code-session.ts';
import { runs } from './installed-languages.ts';

/**
 * Dialogs of pages that code has used. Playwright closes every dialog that nobody handles, also those that a
 * viewer sees.
 */

const LANGUAGES: [Language, Record<'now' | 'handled', string>][] = [
  [
    'node',
    {
      now: `await page.evaluate("confirm('Sure?')")`,
      handled: `page.once('dialog', (dialog) => dialog.accept()); await page.evaluate("confirm('Sure?')")`,
    },
  ],
  [
    'python',
    {
      now: `await page.evaluate("confirm('Sure?')")`,
      handled: `page.once('dialog', lambda dialog: asyncio.ensure_future(dialog.accept()))\nawait page.evaluate("confirm('Sure?')")`,
    },
  ],
];

describe.skipIf(noBubblewrap).each(LANGUAGES)(
  'A dialog of a page that %s code has used',
  (language, codes) => {
    describe.skipIf(language === 'python' && !runs.python)('and that a viewer watches', () => {
      let session: CodeSession;
      let viewer: RawClient;
      let tab: string;
      const run = async (code: string) => (await session.run(code, { language })).result.toLowerCase();
      beforeAll(async () => {
        session = await startCodeSession();
        await run('0');
        viewer = await connectRaw(session.browser.url);
        const targetId = session.tab.targetId;
        tab = (await viewer.send('Target.attachToTarget', { targetId, flatten: true })).result.sessionId;
        await viewer.send('Page.enable', {}, tab);
      });
      afterAll(async () => {
        await viewer[Symbol.asyncDispose]();
        await session[Symbol.asyncDispose]();
      });

      const count = (method: string) => viewer.events.filter((event) => event.method === method).length;
      /** Opens a dialog when no code runs, and waits until it is open. */
      const openBetweenCalls = async () => {
        await run('0');
        await viewer.evaluate(tab, "answer = 'none'; setTimeout(() => { answer = confirm('Sure?') }); 0");
        await expect
          .poll(async () => count('Page.javascriptDialogOpening') - count('Page.javascriptDialogClosed'))
          .toBe(1);
      };

      it('is left to a viewer when it opens between calls', async () => {
        await openBetweenCalls();
        expect(await viewer.send('Page.handleJavaScriptDialog', { accept: true }, tab)).toMatchObject({
          result: {},
        });
        expect(await run('await page.evaluate("answer")')).toBe('true');
      });

      it('is closed by the next call if nobody has answered it', async () => {
        await openBetweenCalls();
        expect(await run('await page.evaluate("answer")')).toBe('false');
      });

      it('is closed at once while code runs, unless the code handles it', async () => {
        expect(await run(codes.now)).toBe('false');
        expect(await run(codes.handled)).toBe('true');
      });
    });
  },
);
