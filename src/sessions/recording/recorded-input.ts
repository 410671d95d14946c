import { fieldsOf } from '../../json/json-object.ts';
import type { ControlMessage } from '../../schemas/live-view.ts';
import type { ReplayEvent } from '../../schemas/replay.ts';
import type { ProtocolCommand } from '../protocol/protocol-command.ts';

/** What is recorded of a message of a viewer: where the pointer was, and kinds of input, but no text. */
export function inputOfViewer(message: ControlMessage): ReplayEvent | undefined {
  const { type } = message;
  if (type === 'mouse') return { type: 'pointer', action: message.action, x: message.x, y: message.y };
  if (type === 'wheel') return { type: 'pointer', action: 'wheel', x: message.x, y: message.y };
  if (type === 'touch') {
    const [finger] = message.points;
    return finger && { type: 'pointer', action: 'touch', x: finger.x, y: finger.y };
  }
  if (type === 'key') return message.action === 'down' ? { type: 'input', kind: 'key' } : undefined;
  if (type === 'text' || type === 'paste') return { type: 'input', kind: type };
  return type === 'dropFiles' ? { type: 'input', kind: 'drop' } : undefined;
}

const MOUSE_ACTIONS: Record<string, 'move' | 'down' | 'up' | 'wheel'> = {
  mouseMoved: 'move',
  mousePressed: 'down',
  mouseReleased: 'up',
  mouseWheel: 'wheel',
};

/** What is recorded of a command of a client of the DevTools protocol, likewise. */
export function inputOfClient({ method, params }: ProtocolCommand): ReplayEvent | undefined {
  const { type, x, y } = fieldsOf(params);
  if (method === 'Input.dispatchMouseEvent') {
    const action = MOUSE_ACTIONS[String(type)];
    return action && { type: 'pointer', action, x: Number(x) || 0, y: Number(y) || 0 };
  }
  if (method === 'Input.dispatchKeyEvent')
    return type === 'keyUp' || type === 'char' ? undefined : { type: 'input', kind: 'key' };
  return method === 'Input.insertText' ? { type: 'input', kind: 'text' } : undefined;
}
