const isMac = /^(Mac|iPhone|iPad)/.test(navigator.platform);

/** Whether the viewer's system is one of Apple's, where Command does what Ctrl does elsewhere. */
export const hasMacKeyboard = isMac;

/**
 * The pressed modifier keys as bits of the protocol. The remote browser runs on Linux, so Command counts as
 * Ctrl.
 * @param {MouseEvent | KeyboardEvent | TouchEvent} event
 */
export function modifiersOf({ altKey, ctrlKey, metaKey, shiftKey }) {
  const isControl = ctrlKey || (isMac && metaKey);
  const isMeta = metaKey && !isMac;
  return (altKey ? 1 : 0) | (isControl ? 2 : 0) | (isMeta ? 4 : 0) | (shiftKey ? 8 : 0);
}
