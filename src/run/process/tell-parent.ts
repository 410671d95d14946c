/**
 * Sends a message to the process that has started this one. Without a parent, or with one that has just
 * ended, the message is lost.
 * @param onLost called with the reason if the message could not be sent
 */
export function tellParent(message: object, onLost: (error: Error) => void = () => undefined): void {
  if (!process.connected) return;
  // Without a callback, Node would throw the error of a channel that has broken, and so end this process.
  process.send?.(message, undefined, undefined, (error) => {
    if (error) onLost(error);
  });
}
