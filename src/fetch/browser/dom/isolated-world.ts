import { setTimeout as sleep } from 'node:timers/promises';
import { createPageDom, type PageElement } from '../../../content/open-page/page-dom.ts';
import type { PageCode, PageFunction, RunInPage } from '../../../content/open-page/page-function.ts';
import type { Session } from '../chromium/cdp.ts';

/** Name of the isolated world. It shares the document with the page's scripts but has its own globals. */
const WORLD_NAME = 'winnow';
const MAX_TRIES = 4;
const RETRY_PAUSE_MS = 50;

/**
 * An expression for the functions by which a world reads its document. They stay in a variable that no
 * element can have the name of, because a symbol names it.
 */
const PAGE_DOM = `(globalThis[Symbol.for('${WORLD_NAME}')] ??= (${createPageDom})())`;

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
 * Evaluates a function in the isolated world of a frame.
 * @returns the result of the function
 * @throws Error with the text of what the function throws, when it returns what it may not, or when the frame
 *   is between two documents ({@link isBetweenDocuments})
 */
export async function evaluateIsolated<Argument, Result>(
  target: FrameTarget,
  { run, returns }: PageFunction<Argument, Result>,
  argument: Argument,
): Promise<Result> {
  const { value } = await callWithRetry(target, { code: run, argument, returnByValue: true });
  return returns.parse(value);
}

/** The id of the frame whose element the function returns; `undefined` when it returns none. */
export async function findFrameIdIsolated<Argument>(
  target: FrameTarget,
  find: PageCode<Argument, PageElement | undefined>,
  argument: Argument,
): Promise<string | undefined> {
  const { objectId } = await callWithRetry(target, { code: find, argument, returnByValue: false });
  if (!objectId) return undefined;
  return (await target.session.send('DOM.describeNode', { objectId })).node.frameId;
}

/** A call of a function in a page. */
interface PageCall<Argument> {
  code: PageCode<Argument, unknown>;
  argument: Argument;
  returnByValue: boolean;
}

/** Retries a call whose document was replaced meanwhile, in the next document. */
async function callWithRetry<Argument>(target: FrameTarget, call: PageCall<Argument>) {
  for (let tries = 1; ; tries++) {
    try {
      return await callOnce(target, call);
    } catch (error) {
      if (tries === MAX_TRIES || !isBetweenDocuments(error)) throw error;
      await sleep(RETRY_PAUSE_MS);
    }
  }
}

async function callOnce<Argument>({ session, frameId, world }: FrameTarget, call: PageCall<Argument>) {
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
  { code, argument, returnByValue }: PageCall<Argument>,
) {
  const { result, exceptionDetails } = await session.send('Runtime.callFunctionOn', {
    executionContextId,
    functionDeclaration: `(argument) => (${code})(argument, ${PAGE_DOM})`,
    arguments: [{ value: argument }],
    awaitPromise: true,
    returnByValue,
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
  call: RunInPage;
  /**
   * Evaluates an expression, in which `dom` is the {@link PageDom}.
   * @returns whether its value, or that of its promise, is true
   */
  isTrue(expression: string): Promise<boolean>;
  /**
   * Evaluates an expression among the page's own globals, without `dom`, and does not wait for a promise that
   * is its value.
   * @returns whether its value counts as true; false if it throws
   */
  isTrueInMainWorld(expression: string): Promise<boolean>;
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

  return {
    async call({ run, returns }, argument) {
      return returns.parse(
        (await callIn(session, contextId, { code: run, argument, returnByValue: true })).value,
      );
    },
    async isTrue(expression) {
      const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
        // Whatever large value it may have, only this comes back.
        expression: `(async () => !!(await ((dom) => ${expression})(${PAGE_DOM})))()`,
        contextId,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value === true;
    },
    async isTrueInMainWorld(expression) {
      const { result } = await session.send('Runtime.evaluate', { expression: `!!(${expression})` });
      return result.value === true;
    },
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
