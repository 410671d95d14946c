import type { EDITING_COMMANDS } from '../../../schemas/live-view.ts';

type EditingCommand = (typeof EDITING_COMMANDS)[number];

/**
 * Editing commands of keys in text fields of macOS that other systems do not have, by the keys with their
 * modifiers in this order: Ctrl, Alt, Meta. Those that move the cursor select with Shift.
 */
const MOVES: Record<string, EditingCommand[]> = {
  'Meta+ArrowLeft': ['moveToBeginningOfLine'],
  'Meta+ArrowRight': ['moveToEndOfLine'],
  'Meta+ArrowUp': ['moveToBeginningOfDocument'],
  'Meta+ArrowDown': ['moveToEndOfDocument'],
  'Alt+ArrowLeft': ['moveWordLeft'],
  'Alt+ArrowRight': ['moveWordRight'],
  'Alt+ArrowUp': ['moveBackward', 'moveToBeginningOfParagraph'],
  'Alt+ArrowDown': ['moveForward', 'moveToEndOfParagraph'],
  'Ctrl+a': ['moveToBeginningOfParagraph'],
  'Ctrl+e': ['moveToEndOfParagraph'],
};

const OTHERS: Record<string, EditingCommand[]> = {
  'Ctrl+b': ['moveBackward'],
  'Ctrl+f': ['moveForward'],
  'Ctrl+p': ['moveUp'],
  'Ctrl+n': ['moveDown'],
  'Ctrl+h': ['deleteBackward'],
  'Ctrl+d': ['deleteForward'],
  'Ctrl+k': ['deleteToEndOfParagraph'],
  'Meta+Backspace': ['deleteToBeginningOfLine'],
  'Meta+Delete': ['deleteToEndOfLine'],
  'Alt+Backspace': ['deleteWordBackward'],
  'Alt+Delete': ['deleteWordForward'],
};

/** The commands that select what the commands of {@link MOVES} would pass over. */
const SELECTIONS: Record<string, EditingCommand[]> = {
  'Meta+ArrowLeft': ['moveToBeginningOfLineAndModifySelection'],
  'Meta+ArrowRight': ['moveToEndOfLineAndModifySelection'],
  'Meta+ArrowUp': ['moveToBeginningOfDocumentAndModifySelection'],
  'Meta+ArrowDown': ['moveToEndOfDocumentAndModifySelection'],
  'Alt+ArrowLeft': ['moveWordLeftAndModifySelection'],
  'Alt+ArrowRight': ['moveWordRightAndModifySelection'],
  'Alt+ArrowUp': ['moveToBeginningOfParagraphAndModifySelection'],
  'Alt+ArrowDown': ['moveToEndOfParagraphAndModifySelection'],
  'Ctrl+a': ['moveToBeginningOfParagraphAndModifySelection'],
  'Ctrl+e': ['moveToEndOfParagraphAndModifySelection'],
};

/**
 * The editing commands that a key of a Mac stands for.
 * @returns `undefined` when it does the same as elsewhere
 */
export function macCommandsOf({
  key,
  ctrlKey,
  altKey,
  metaKey,
  shiftKey,
}: KeyboardEvent): EditingCommand[] | undefined {
  const modifiers = [ctrlKey && 'Ctrl+', altKey && 'Alt+', metaKey && 'Meta+'].filter(Boolean).join('');
  const keys = modifiers + (key.length === 1 ? key.toLowerCase() : key);
  return shiftKey ? SELECTIONS[keys] : (MOVES[keys] ?? OTHERS[keys]);
}
