import { hasMacKeyboard } from './modifiers.ts';

/** What a key does in a browser rather than in its page. */
type BrowserCommand = 'back' | 'forward' | 'reload' | 'address';

/** Keys of browsers that their pages do not get, with their modifiers in this order: Ctrl, Alt, Meta, Shift. */
const COMMANDS: Record<string, BrowserCommand> = hasMacKeyboard
  ? {
      'Meta+[': 'back',
      'Meta+]': 'forward',
      'Meta+r': 'reload',
      'Meta+Shift+r': 'reload',
      'Meta+l': 'address',
    }
  : {
      'Alt+ArrowLeft': 'back',
      'Alt+ArrowRight': 'forward',
      F5: 'reload',
      'Ctrl+F5': 'reload',
      'Ctrl+r': 'reload',
      'Ctrl+Shift+r': 'reload',
      'Ctrl+l': 'address',
      'Alt+d': 'address',
      F6: 'address',
    };

/** The command that a key stands for; `undefined` if the page gets the key. */
export function browserCommandOf({
  key,
  ctrlKey,
  altKey,
  metaKey,
  shiftKey,
}: KeyboardEvent): BrowserCommand | undefined {
  const modifiers = [ctrlKey && 'Ctrl+', altKey && 'Alt+', metaKey && 'Meta+', shiftKey && 'Shift+'];
  return COMMANDS[modifiers.filter(Boolean).join('') + (key.length === 1 ? key.toLowerCase() : key)];
}
