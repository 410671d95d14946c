/** The directory of this program and its packages in the sandbox. */
const PROGRAM_DIRECTORY = import.meta.dirname;

/** Removes this program and its packages from the stack traces of the code that it executes. */
export function hideProgramFrames(): void {
  Error.prepareStackTrace = (error, frames) => {
    // Below this one are only frames of the program.
    const entry = frames.findIndex((frame) => frame.getFileName() === 'node:inspector');
    const shown = entry < 0 ? frames : frames.slice(0, entry);
    // Playwright finds the name of its method in its own frames, and then removes them itself.
    const own = shown[0] && isOfProgram(shown[0]) ? shown : shown.filter((frame) => !isOfProgram(frame));
    return [headOf(error), ...own.map((frame) => `    at ${frame}`)].join('\n');
  };
}

/** Removes the frames of the program and its packages from the text of an error. */
export const withoutProgramFrames = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !(/^ +at /.test(line) && line.includes(PROGRAM_DIRECTORY)))
    .join('\n');

const isOfProgram = (frame: NodeJS.CallSite) => String(frame.getFileName()).includes(PROGRAM_DIRECTORY);

function headOf(error: Error): string {
  try {
    return String(error);
  } catch {
    // Its members throw.
    return 'Error';
  }
}
