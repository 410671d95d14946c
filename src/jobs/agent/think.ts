import type { LanguageModel } from '../../content/language-model.ts';
import type { ToolName } from '../../storage/agent-steps/tool-name.ts';
import {
  type ConversationParts,
  instructionsOf,
  type Reply,
  requestOf,
  tokensOfReplies,
  writeConversation,
} from './conversation.ts';
import { describeTools } from './tools.ts';
import { CALLS_PER_TURN } from './turns.ts';

/**
 * Asks the model for the next calls of a run.
 * @param tools the tools that it is offered
 * @throws ServiceError as `LanguageModel.takeTurn`
 */
export async function think(
  model: LanguageModel,
  { tools, ...parts }: ConversationParts & { tools: readonly ToolName[] },
): Promise<Reply> {
  const { task, access, replies } = parts;
  const described = describeTools(tools, task);
  const request = requestOf(task, access);
  const room = model.roomFor(
    { instructions: instructionsOf(task), request },
    { schema: { tools: described } },
  );
  const conversation = writeConversation(parts, room - tokensOfReplies(replies));
  const { text, calls } = await model.takeTurn({ ...conversation, tools: described });
  return { text, calls: calls.slice(0, CALLS_PER_TURN) };
}
