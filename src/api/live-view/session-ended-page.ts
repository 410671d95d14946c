import { SESSION_END_SENTENCES, type SessionEndReason } from '../../schemas/session-end.ts';

/**
 * The page at the URL of a live view whose session has ended, for status 410 and {@link LIVE_VIEW_HEADERS}.
 * @param reason why it ended, if that is known
 */
export function renderSessionEndedPage(reason?: SessionEndReason): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The session has ended</title>
</head>
<body>
<h1>The session has ended</h1>
<p>${reason ? SESSION_END_SENTENCES[reason] : 'It is no longer available.'}</p>
<p>A session that has ended cannot be opened again. Create a new one.</p>
</body>
</html>
`;
}
