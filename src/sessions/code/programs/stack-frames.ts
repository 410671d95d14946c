/** The directory of this program and its packages in the sandbox. */
const PROGRAM_DIRECTORY = import.meta.dirname;

/** Removes this program from the stack traces of the code that it executes. */
export function hideProgramFrames(): void {
  Error.prepareStackTrace = (error, frames) => {
    // Below this one are only frames of the program.
    const entry = frames.findIndex((frame) => frame.getFileName() === 'node:inspector');
    const own = (entry < 0 ? frames : frames.slice(0, entry)).filter(
      (frame) => !String(frame.getFileName()).includes(PROGRAM_DIRECTORY),
    );
    return [headOf(error), ...own.map((frame) => `    at ${frame}`)].join('\n');
  };
}

function headOf(error: Error): string {
  try {
    return String(error);
  } catch {
    // Its members throw.
    return 'Error';
  }
}
