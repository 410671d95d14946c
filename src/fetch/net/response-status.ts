/** Whether a status code says that the page does not exist (any more). */
export const isGone = (statusCode: number) => statusCode === 404 || statusCode === 410;

/** Whether a status code asks to send fewer requests. */
export const asksToSlowDown = (statusCode: number) => statusCode === 429 || statusCode === 503;
