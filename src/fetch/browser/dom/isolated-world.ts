import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from '../chromium/cdp.ts';
import { createPageDom, type PageDom } from './page-dom.ts';

/** Name of the isolated world. It shares the document with the page's scripts but has its own globals. */
const WORLD_NAME = 'winnow';
const MAX_TRIES = 4;
const RETRY_PAUSE_MS = 50;

/** One frame, and the protocol session that reaches it. */
export interface FrameTarget {
  session: Session;
  frameId: string;
  /**
   * The isolated world that was last used in the frame, so that it is not asked for each time. Absent if it
   * is not known whether it is still valid.
   */
  world?: KnownWorld;
}

/** The isolated world of the current document of a frame. */
interface KnownWorld {
  /** Absent until it was used for the first time. */
  contextId?: number | undefined;
}

/**
 * Remembers the isolated world of a frame until its document is replaced, in a session whose `Page` domain is
 * enabled.
 */
export function rememberWorld(session: Session, frameId: string): KnownWorld {
  const world: KnownWorld = {};
  // Another process may use the same id for another world.
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.id === frameId) world.contextId = undefined;
  });
  return world;
}

/**
 * A function that runs in a page, with the functions by which it reads elements whose names it does not know.
 */
export type PageFunction<Argument, Result> = (argument: Argument, dom: PageDom) => Result;

/**
 * Evaluates a function in the isolated world of a frame. The function is sent as source code, so it may use
 * nothing from outside but its arguments. It may leave values on `globalThis` for later calls, until the
 * document changes.
 * @returns the result of the function, which must be JSON
 * @throws Error with the text of what the function throws, or when the frame is between two documents
 *   ({@link isBetweenDocuments})
 */
export async function evaluateIsolated<Argument, Result>(
  target: FrameTarget,
  pageFunction: PageFunction<Argument, Result>,
  argument: Argument,
): Promise<Awaited<Result>> {
  const { value } = await callWithRetry(target, pageFunction, argument, true);
  // The value is the result of the function, serialized as JSON.
  return value as Awaited<Result>;
}

/** The id of the frame whose element the function returns; `undefined` when it returns none. */
export async function findFrameIdIsolated<Argument>(
  target: FrameTarget,
  find: PageFunction<Argument, Element | undefined>,
  argument: Argument,
): Promise<string | undefined> {
  const { objectId } = await callWithRetry(target, find, argument, false);
  if (!objectId) return undefined;
  return (await target.session.send('DOM.describeNode', { objectId })).node.frameId;
}

/** Retries a call whose document was replaced meanwhile, in the next document. */
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
  { session, frameId, world }: FrameTarget,
  pageFunction: PageFunction<Argument, unknown>,
  argument: Argument,
  returnByValue: boolean,
) {
  const call = { pageFunction, argument, returnByValue };
  if (world?.contextId) {
    try {
      return await callIn(session, world.contextId, call);
    } catch (error) {
      world.contextId = undefined;
      throw error;
    }
  }
  // Chromium returns the existing world of this name if there is one.
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId,
    worldName: WORLD_NAME,
  });
  if (world) world.contextId = executionContextId;
  return callIn(session, executionContextId, call);
}

async function callIn<Argument>(
  session: Session,
  executionContextId: number,
  call: { pageFunction: PageFunction<Argument, unknown>; argument: Argument; returnByValue: boolean },
) {
  const { result, exceptionDetails } = await session.send('Runtime.callFunctionOn', {
    executionContextId,
    functionDeclaration: `(argument) => (${call.pageFunction})(argument, (${createPageDom})())`,
    arguments: [{ value: call.argument }],
    awaitPromise: true,
    returnByValue: call.returnByValue,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result;
}

/** The isolated world of one document, for larger programs that call back into this process. */
export interface IsolatedWorld {
  /**
   * Evaluates a function as {@link evaluateIsolated} does, but not in the next document if this one is
   * replaced.
   */
  call<Argument, Result>(
    pageFunction: PageFunction<Argument, Result>,
    argument: Argument,
  ): Promise<Awaited<Result>>;
  /** Evaluates an expression, awaits its promise, and returns its value as plain data. */
  evaluate<Result>(expression: string): Promise<Result>;
  /** Does the same among the page's own globals. */
  evaluateInMainWorld<Result>(expression: string): Promise<Result>;
  /** Adds a function `name(text)` to the world, whose calls are passed to the listener. */
  listen(name: string, listener: (text: string) => void): Promise<void>;
}

/**
 * Opens the isolated world of a document. It is valid as long as the document.
 * @param frameId a frame in the session's process; defaults to the session's main frame
 */
export async function openIsolatedWorld(session: Session, frameId?: string): Promise<IsolatedWorld> {
  const frame = frameId ?? (await session.send('Page.getFrameTree')).frameTree.frame.id;
  const world = await session.send('Page.createIsolatedWorld', { frameId: frame, worldName: WORLD_NAME });
  const contextId = world.executionContextId;

  async function evaluate(expression: string, context: { contextId?: number }) {
    const { result, exceptionDetails: thrown } = await session.send('Runtime.evaluate', {
      expression,
      ...context,
      awaitPromise: true,
      returnByValue: true,
    });
    if (thrown) throw new Error(thrown.exception?.description ?? thrown.text);
    return result.value;
  }

  return {
    async call<Argument, Result>(
      pageFunction: PageFunction<Argument, Result>,
      argument: Argument,
    ): Promise<Awaited<Result>> {
      const { value } = await callIn(session, contextId, { pageFunction, argument, returnByValue: true });
      // The value is the result of the function, serialized as JSON.
      return value as Awaited<Result>;
    },
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

/** Whether a call failed because its document was replaced meanwhile. */
export const isBetweenDocuments = (error: unknown) =>
  /Protocol error .*(context|no frame|navigat|detached|does not belong)/i.test(String(error));
