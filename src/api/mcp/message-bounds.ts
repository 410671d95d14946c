import { ServiceError } from '../../errors.ts';
import { fieldsOf } from '../../json/json-object.ts';

/** The most messages in one request, as clients of older versions of the protocol may send them. */
const MAX_MESSAGES = 100;
/** The most characters of what names something: responses, notifications of progress and errors repeat it. */
const MAX_NAME_CHARACTERS = 4_096;

/**
 * Refuses a body with more messages, or with longer names, than any client needs, before anything copies them.
 * @param body a parsed body, of any form
 * @throws ServiceError `BAD_REQUEST`
 */
export function requireMessageBounds(body: unknown): void {
  const messages = Array.isArray(body) ? body : [body];
  if (messages.length > MAX_MESSAGES)
    throw new ServiceError(
      'BAD_REQUEST',
      `The body has ${messages.length} messages. Send at most ${MAX_MESSAGES} at once.`,
    );
  for (const message of messages) {
    for (const [what, name] of Object.entries(namesOf(message))) {
      if (typeof name !== 'string' || name.length <= MAX_NAME_CHARACTERS) continue;
      throw new ServiceError(
        'BAD_REQUEST',
        `${what} has ${name.length} characters. It may have at most ${MAX_NAME_CHARACTERS}.`,
      );
    }
  }
}

/** The texts of a message that name something, by their place in it. */
function namesOf(message: unknown): Record<string, unknown> {
  const { method, id, params } = fieldsOf(message);
  const { name, taskId, requestId, _meta } = fieldsOf(params);
  return {
    method,
    id,
    'params.name': name,
    'params.taskId': taskId,
    'params.requestId': requestId,
    'params._meta.progressToken': fieldsOf(_meta).progressToken,
  };
}
