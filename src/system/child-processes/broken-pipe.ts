/**
 * Handles the errors of a pipe to a child process that has died, because the end of the process is what
 * reports that.
 */
export function ignoreBrokenPipe(): void {
  // Without a handler, the error would end our own process.
}
