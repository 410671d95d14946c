import { html } from 'htm/preact';

/** Whether a site answered with an error (RFC 9110, 15.5 and 15.6). */
export const isErrorStatus = (status: unknown): boolean => Number(status) >= 400;

/** The status of a response; that of an error is told by its colour too. */
export const HttpStatus = ({ status }: { status: unknown }) =>
  html`<span class=${isErrorStatus(status) ? 'bad' : ''}>HTTP ${status}</span>`;
