import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from './cdp.ts';

/** Beside the page's own scripts: one document, but other globals, so that neither side sees or breaks the other. */
const WORLD_NAME = 'winnow';
const MAX_TRIES = 4;
const RETRY_PAUSE_MS = 50;

/** One frame of a page, as Chromium knows it. */
export interface FrameTarget {
  session: Session;
  frameId: string;
}

/**
 * Runs a function in a frame, out of sight of the page's scripts. It is sent as its source: it uses nothing from
 * outside but its argument, and may leave things on `globalThis` for the next one, until the document changes.
 * @returns what it gives, which must be JSON
 * @throws what it throws, as text; and when the frame is between two documents ({@link isBetweenDocuments})
 */
export async function evaluateIsolated<Argument, Result>(
  target: FrameTarget,
  pageFunction: (argument: Argument) => Result,
  argument: Argument,
): Promise<Awaited<Result>> {
  const { value } = await callWithRetry(target, pageFunction, argument, true);
  // What the function gave, by way of JSON.
  return value as Awaited<Result>;
}

/** The id of the frame whose element a function finds, as `runApart` runs it; `undefined` when it finds none. */
export async function findFrameIdIsolated<Argument>(
  target: FrameTarget,
  find: (argument: Argument) => Element | undefined,
  argument: Argument,
): Promise<string | undefined> {
  const { objectId } = await callWithRetry(target, find, argument, false);
  if (!objectId) return undefined;
  return (await target.session.send('DOM.describeNode', { objectId })).node.frameId;
}

/** A document that is just there may go away under the call; the next one is asked instead. */
async function callWithRetry<Argument>(...args: Parameters<typeof callOnce<Argument>>) {
  for (let tries = 1; ; tries++) {
    try {
      return await callOnce(...args);
    } catch (error) {
      if (tries === MAX_TRIES || !isBetweenDocuments(error)) throw error;
      await sleep(RETRY_PAUSE_MS);
    }
  }
}

async function callOnce<Argument>(
  { session, frameId }: FrameTarget,
  pageFunction: (argument: Argument) => unknown,
  argument: Argument,
  returnByValue: boolean,
) {
  // The second time, it is the one that is there.
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId,
    worldName: WORLD_NAME,
  });
  const { result, exceptionDetails } = await session.send('Runtime.callFunctionOn', {
    executionContextId,
    functionDeclaration: pageFunction.toString(),
    arguments: [{ value: argument }],
    awaitPromise: true,
    returnByValue,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result;
}

/** The world of one document, for programs that come as text and ask back. */
export interface IsolatedWorld {
  /** Evaluates an expression, waits for its promise, gives its value as plain data. */
  evaluate<Result>(expression: string): Promise<Result>;
  /** The same where the page's own globals are. */
  evaluateInMainWorld<Result>(expression: string): Promise<Result>;
  /** Gives the world a function `name(text)`, what it is called with comes here. */
  listen(name: string, listener: (text: string) => void): Promise<void>;
}

/**
 * Opens the world of a document, as long as that lasts.
 * @param frameId of a frame in the session's process; without one, the session's main frame
 */
export async function openIsolatedWorld(session: Session, frameId?: string): Promise<IsolatedWorld> {
  const frame = frameId ?? (await session.send('Page.getFrameTree')).frameTree.frame.id;
  const world = await session.send('Page.createIsolatedWorld', { frameId: frame, worldName: WORLD_NAME });
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
    evaluateInMainWorld: (expression) => evaluate(expression, {}),
    async listen(name, listener) {
      session.on('Runtime.bindingCalled', ({ executionContextId, name: called, payload }) => {
        if (executionContextId === contextId && called === name) listener(payload);
      });
      await session.send('Runtime.addBinding', { name, executionContextName: WORLD_NAME });
    },
  };
}

/** Whether a call failed because its document went away under it. */
export const isBetweenDocuments = (error: unknown) =>
  /Protocol error .*(context|no frame|navigat|detached|does not belong)/i.test(String(error));
