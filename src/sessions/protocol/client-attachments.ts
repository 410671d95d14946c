import type { CdpMessage } from '../../fetch/browser/chromium/cdp.ts';
import { fieldsOf } from '../../json/json-object.ts';

/** Events that describe a target. `Target.attachedToTarget` does too, but is about the client itself. */
const DESCRIBING = new Set(['Target.targetCreated', 'Target.targetInfoChanged']);

/**
 * Lets an event about a target say whether its client is attached. Chromium says whether anybody is, and the
 * host is attached to every tab: chromedp waits for popups to which nobody is.
 * @param isAttached whether the client is attached to a target
 */
export function withOwnAttachment(event: CdpMessage, isAttached: (targetId: unknown) => boolean): CdpMessage {
  if (!DESCRIBING.has(event.method ?? '')) return event;
  const { params } = event;
  return { ...event, params: { ...params, targetInfo: ownInfo(fieldsOf(params).targetInfo, isAttached) } };
}

/** Does the same for the result of `Target.getTargets` and `Target.getTargetInfo`. */
export function withOwnAttachments(result: object, isAttached: (targetId: unknown) => boolean): object {
  const { targetInfos, targetInfo } = fieldsOf(result);
  return {
    ...result,
    ...(Array.isArray(targetInfos) && { targetInfos: targetInfos.map((info) => ownInfo(info, isAttached)) }),
    ...(targetInfo !== undefined && { targetInfo: ownInfo(targetInfo, isAttached) }),
  };
}

function ownInfo(info: unknown, isAttached: (targetId: unknown) => boolean): unknown {
  const { type, targetId } = fieldsOf(info);
  // Every client is attached to the browser.
  return type === 'browser' ? info : { ...fieldsOf(info), attached: isAttached(targetId) };
}
