import type { CdpConnection, Session } from './chromium/cdp.ts';

/** The sessions of a page and its frames. */
export interface FrameSessions {
  /** The session of the page, followed by those of its cross-site frames. */
  sessions(): Session[];
  /** Prepares the page and all cross-site frames; later frames are prepared before they run. */
  prepareFrames(prepare: (session: Session) => Promise<unknown>): Promise<void>;
}

/**
 * Attaches to every cross-site frame and every worker, and pauses each until it is prepared.
 * @param main the session of the page
 */
export function attachFrames(
  connection: CdpConnection,
  main: Session,
  prepareWorker: (session: Session) => Promise<unknown>,
): FrameSessions {
  const sessions = new Map([['', main]]);
  const preparations: ((session: Session) => Promise<unknown>)[] = [];
  preparations.push(async (session) => {
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      const childSession = connection.session(sessionId);
      const isFrame = targetInfo.type === 'iframe';
      if (isFrame) sessions.set(sessionId, childSession);
      const prepared = Promise.allSettled(
        (isFrame ? preparations : [prepareWorker]).map((prepare) => prepare(childSession)),
      );
      // The target may have ended meanwhile.
      prepared.then(() => childSession.send('Runtime.runIfWaitingForDebugger')).catch(() => undefined);
    });
    session.on('Target.detachedFromTarget', ({ sessionId }) => sessions.delete(sessionId));
    await session.send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
    });
  });
  const first = preparations[0]!(main);
  return {
    sessions: () => [...sessions.values()],
    async prepareFrames(prepare) {
      preparations.push(prepare);
      await Promise.all([first, ...[...sessions.values()].map(prepare)]);
    },
  };
}
