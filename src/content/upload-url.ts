/**
 * The origin of the URLs that uploaded files are given, because documents and jobs name their source by a
 * URL. Its top-level domain never exists (RFC 2606).
 */
const ORIGIN = 'https://uploads.invalid';

/** Creates the URL of an uploaded file. It identifies the file in results; nothing can be fetched from it. */
export const uploadUrl = (fileName: string) => `${ORIGIN}/${encodeURIComponent(fileName)}`;

/** Whether a URL is that of an uploaded file, or was relative to one. */
export const isUploadUrl = (url: URL) => url.origin === ORIGIN;
