import type { CDPSession } from 'playwright-core';

/** Chromium tells it to debuggers only. */
const WORLD = 'winnow';

/** JavaScript beside a page's own: the same document, other globals, nothing that the page could see. */
export interface IsolatedWorld {
  /** Evaluates an expression, waits for its promise, gives its value as plain data. */
  evaluate<Result>(expression: string): Promise<Result>;
  /** The same where the page's own globals are. */
  evaluateOutside<Result>(expression: string): Promise<Result>;
  /** Gives the world a function `name(text)`, what it is called with comes here. */
  listen(name: string, listener: (text: string) => void): Promise<void>;
}

/**
 * Opens an isolated world in a document, as long as that lasts.
 * @param frameId of a frame in the session's process; without one, the session's main frame
 */
export async function openIsolatedWorld(session: CDPSession, frameId?: string): Promise<IsolatedWorld> {
  const frame = frameId ?? (await session.send('Page.getFrameTree')).frameTree.frame.id;
  const world = await session.send('Page.createIsolatedWorld', { frameId: frame, worldName: WORLD });
  const contextId = world.executionContextId;

  async function evaluate(expression: string, context: { contextId?: number }) {
    const { result, exceptionDetails: thrown } = await session.send('Runtime.evaluate', {
      ...{ expression, ...context, awaitPromise: true, returnByValue: true },
    });
    if (thrown) throw new Error(thrown.exception?.description ?? thrown.text);
    return result.value;
  }

  return {
    evaluate: (expression) => evaluate(expression, { contextId }),
    evaluateOutside: (expression) => evaluate(expression, {}),
    async listen(name, listener) {
      session.on('Runtime.bindingCalled', ({ executionContextId, name: called, payload }) => {
        if (executionContextId === contextId && called === name) listener(payload);
      });
      await session.send('Runtime.addBinding', { name, executionContextName: WORLD });
    },
  };
}

/** Whether a call failed because its document was replaced meanwhile. */
export const isGone = (error: unknown) =>
  /context was destroyed|cannot find context|navigated or closed|no frame/i.test(String(error));
