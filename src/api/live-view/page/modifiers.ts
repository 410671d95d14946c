/** Whether the viewer's system is one of Apple's, where Command does what Ctrl does elsewhere. */
export const hasMacKeyboard = /^(Mac|iPhone|iPad)/.test(navigator.platform);

/**
 * The pressed modifier keys as bits of the protocol. The remote browser runs on Linux, so Command counts as
 * Ctrl.
 */
export function modifiersOf({
  altKey,
  ctrlKey,
  metaKey,
  shiftKey,
}: Pick<MouseEvent | KeyboardEvent | TouchEvent, 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>): number {
  const isControl = ctrlKey || (hasMacKeyboard && metaKey);
  const isMeta = metaKey && !hasMacKeyboard;
  return (altKey ? 1 : 0) | (isControl ? 2 : 0) | (isMeta ? 4 : 0) | (shiftKey ? 8 : 0);
}
