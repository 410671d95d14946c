/** Paths that the sandboxes of a session share. */

/** Where the browser and code find the files of the session. */
export const DOWNLOADS_PATH = '/downloads';
/** Where the browser stores downloads that are not complete yet. */
export const INCOMING_PATH = '/incoming';
/**
 * Where the Playwright of code stores videos and traces, and finds each download by its id: as a link to the
 * file in {@link DOWNLOADS_PATH}.
 */
export const ARTIFACTS_PATH = '/run/artifacts';
