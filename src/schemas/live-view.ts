import { z } from 'zod';
import { bounded } from '../json/bounded.ts';

/**
 * The protocol between the page of a live view and the host of the session, over one WebSocket. Frames are
 * binary messages: a header of {@link FRAME_HEADER_BYTES} bytes, then a JPEG image. Everything else is JSON
 * text.
 *
 * The header is little-endian: number of the frame (uint32), width and height of the remote viewport in CSS
 * pixels (uint16 each), height of the browser's own bars above the page (uint16), and the time of the capture
 * in milliseconds since 1970, modulo 65,536 (uint16). Coordinates of input are CSS pixels of that viewport.
 */
export const FRAME_HEADER_BYTES = 12;

/**
 * Largest message that a viewer may send, in bytes. It leaves room for {@link MAX_PASTE_LENGTH} characters.
 */
export const MAX_VIEWER_MESSAGE_BYTES = 2 * 1024 * 1024;

/** How much text can be pasted at once, and copied back to the viewer's clipboard, in UTF-16 code units. */
export const MAX_PASTE_LENGTH = 500_000;

/** WebSocket close code of a session that has ended. The reason is a `SessionEndReason`. Do not reconnect. */
export const SESSION_ENDED_CODE = 4410;
/**
 * WebSocket close code of a server that stops (RFC 6455). With the reason `shutdown`, the session has ended
 * with its host; with any other one, it continues, and another connection reaches it.
 */
export const GOING_AWAY_CODE = 1001;

/**
 * Interval in which the host says that it is alive. A side that hears nothing for three intervals gives up.
 */
export const ALIVE_INTERVAL_MS = 15_000;

/** The query parameters of a live view's URL. Invalid values count as absent, so that a view always opens. */
export const liveViewQuery = z.object({
  /** Frames per second that this viewer gets at most. */
  maxFps: z.coerce.number().min(1).max(30).catch(15),
});

const coordinate = z.number().min(-32_768).max(32_767);
/** Bits of pressed modifier keys: 1 Alt, 2 Ctrl, 4 Meta, 8 Shift. */
const modifiers = z.int().min(0).max(15);
const targetId = z.string().max(64);
/** Longest URL that a viewer may open, and longest value of a field that is chosen, in characters. */
const MAX_NAVIGATION_LENGTH = 2_000;
const MAX_VALUE_LENGTH = 100;
/** Most files that a viewer may give a page at once. */
export const MAX_GIVEN_FILES = 20;
const fileNames = bounded(z.array(z.string().min(1).max(255)), { entries: MAX_GIVEN_FILES });

/** Editing commands that a key can stand for on the viewer's system, such as those of macOS. */
export const EDITING_COMMANDS = [
  'moveToBeginningOfLine',
  'moveToEndOfLine',
  'moveToBeginningOfDocument',
  'moveToEndOfDocument',
  'moveToBeginningOfParagraph',
  'moveToEndOfParagraph',
  'moveToBeginningOfLineAndModifySelection',
  'moveToEndOfLineAndModifySelection',
  'moveToBeginningOfDocumentAndModifySelection',
  'moveToEndOfDocumentAndModifySelection',
  'moveToBeginningOfParagraphAndModifySelection',
  'moveToEndOfParagraphAndModifySelection',
  'moveWordLeft',
  'moveWordRight',
  'moveWordLeftAndModifySelection',
  'moveWordRightAndModifySelection',
  'moveForward',
  'moveBackward',
  'moveUp',
  'moveDown',
  'deleteForward',
  'deleteBackward',
  'deleteWordBackward',
  'deleteWordForward',
  'deleteToBeginningOfLine',
  'deleteToEndOfLine',
  'deleteToEndOfParagraph',
] as const;

/** Messages that every viewer may send. */
const watchMessages = [
  /** The frame has been drawn, and so have all before it. The next one follows only then. */
  z.object({ type: z.literal('ack'), frame: z.int().min(0).max(0xffff_ffff) }),
  z.object({ type: z.literal('alive') }),
] as const;

/** Messages that only a viewer with control may send. */
const controlMessages = [
  z.object({
    type: z.literal('mouse'),
    action: z.enum(['down', 'up', 'move']),
    x: coordinate,
    y: coordinate,
    button: z.enum(['none', 'left', 'middle', 'right', 'back', 'forward']),
    /** Bits of pressed buttons, as in `MouseEvent.buttons`. */
    buttons: z.int().min(0).max(31),
    clickCount: z.int().min(0).max(10),
    modifiers,
  }),
  z.object({
    type: z.literal('wheel'),
    x: coordinate,
    y: coordinate,
    deltaX: z.number().min(-100_000).max(100_000),
    deltaY: z.number().min(-100_000).max(100_000),
    modifiers,
  }),
  z.object({
    type: z.literal('touch'),
    action: z.enum(['start', 'move', 'end', 'cancel']),
    /** All fingers that touch now; none with `cancel`. */
    points: bounded(z.array(z.object({ id: z.int().min(0).max(31), x: coordinate, y: coordinate })), {
      entries: 10,
    }),
    modifiers,
  }),
  z.object({
    type: z.literal('key'),
    action: z.enum(['down', 'up']),
    /** `key`, `code`, `keyCode` and `location` as in `KeyboardEvent`. */
    key: z.string().min(1).max(32),
    code: z.string().max(32),
    keyCode: z.int().min(0).max(255),
    location: z.int().min(0).max(3),
    repeat: z.boolean(),
    /** The text that the key types, if any. */
    text: z.string().max(8).optional(),
    modifiers,
    commands: bounded(z.array(z.enum(EDITING_COMMANDS)), { entries: 4 }).optional(),
  }),
  /** Text that is typed without keys, such as that of an input method when it is done. */
  z.object({ type: z.literal('text'), text: z.string().min(1).max(10_000) }),
  /** Text that an input method is still composing; an empty text cancels it. */
  z.object({ type: z.literal('composition'), text: z.string().max(1_000) }),
  z.object({ type: z.literal('paste'), text: z.string().min(1).max(MAX_PASTE_LENGTH) }),
  /** Asks for the selected text, which follows as a message `clipboard`. */
  z.object({ type: z.literal('copy') }),
  z.object({
    type: z.literal('dialog'),
    id: z.int().min(0),
    accept: z.boolean(),
    promptText: z.string().max(10_000).optional(),
  }),
  z.object({ type: z.literal('showTab'), targetId }),
  z.object({ type: z.literal('closeTab'), targetId }),
  z.object({ type: z.literal('newTab') }),
  /** Opens a URL in the tab that is shown. */
  z.object({ type: z.literal('navigate'), url: z.string().min(1).max(MAX_NAVIGATION_LENGTH) }),
  /** Goes back or forward in the history of that tab, loads it again, or stops that. */
  z.object({ type: z.literal('history'), move: z.enum(['back', 'forward', 'reload', 'stop']) }),
  /**
   * Chooses in a {@link PickerSummary}: an option of a list by its index, or the value of a field. Without
   * both, it is closed.
   */
  z.object({
    type: z.literal('pick'),
    id: z.int().min(0),
    index: z.int().min(0).max(100_000).optional(),
    value: z.string().max(MAX_VALUE_LENGTH).optional(),
  }),
  /** Gives a page that asks for files those of the session with these names; with none, it gets nothing. */
  z.object({ type: z.literal('chooseFiles'), id: z.int().min(0), names: fileNames }),
  /** Drops files of the session with these names on the page. */
  z.object({ type: z.literal('dropFiles'), x: coordinate, y: coordinate, names: fileNames }),
  /** Sets the size of the remote viewport, in CSS pixels. */
  z.object({
    type: z.literal('resize'),
    width: z.int().min(200).max(3_840),
    height: z.int().min(150).max(2_160),
  }),
] as const;

const watchMessage = z.discriminatedUnion('type', watchMessages);
const controlMessage = z.discriminatedUnion('type', controlMessages);
/** Every message that a viewer sends. */
export const viewerMessage = z.discriminatedUnion('type', [...watchMessages, ...controlMessages]);

/** A message that only a viewer with control may send. */
export type ControlMessage = z.infer<typeof controlMessage>;
/** A message that a viewer sends. */
export type ViewerMessage = z.infer<typeof watchMessage> | ControlMessage;

/** One tab, as viewers see it. Long titles and URLs are shortened. */
export interface TabSummary {
  targetId: string;
  title: string;
  url: string;
  crashed: boolean;
  isLoading: boolean;
  /** Whether its history has a page before, or after, the one that it shows. */
  canGoBack: boolean;
  canGoForward: boolean;
  /**
   * Why its page could not be opened, as Chromium names it (`Network.ErrorReason`); `Failed` if that is not
   * known.
   */
  failure?: string | undefined;
}

/** The fields of a form that Chromium opens a window of its own for, which no picture of the page shows. */
export const PICKER_FIELDS = ['color', 'date', 'datetime-local', 'month', 'week', 'time'] as const;

/** An option of a list; its index is its place in the list. */
interface PickerOption {
  label: string;
  /** Of a suggestion: the text that it puts into the field; empty otherwise. */
  value: string;
  /** The label of the group that it belongs to. */
  group: string;
  isDisabled: boolean;
  isSelected: boolean;
}

/** A list, a field with a chooser, or the suggestions for a field (`datalist`), that the page has opened. */
export interface PickerSummary {
  id: number;
  kind: 'select' | 'suggestions' | (typeof PICKER_FIELDS)[number];
  /** Where it is in the remote viewport, in CSS pixels; absent in frames. */
  box?: { x: number; y: number; width: number; height: number } | undefined;
  options: PickerOption[];
  /** Of a field: the attributes of HTML. */
  value: string;
  min: string;
  max: string;
  step: string;
}

/** A page asks for files. */
export interface FileChooserSummary {
  id: number;
  multiple: boolean;
}

/** A download of the session. */
export interface DownloadSummary {
  name: string;
  state: 'running' | 'stored' | 'canceled';
  receivedBytes: number;
  /** 0 if it is not known. */
  totalBytes: number;
}

/** An open dialog of a page. */
export interface DialogSummary {
  id: number;
  kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload';
  message: string;
  /** The text that the input of a `prompt` contains at first. */
  defaultPrompt: string;
  /** URL of the page that asks. */
  url: string;
}

/** A message that the host sends to a viewer. */
export type HostMessage =
  | { type: 'alive' }
  | { type: 'tabs'; tabs: TabSummary[]; shownTargetId: string | undefined }
  | { type: 'dialog'; dialog: DialogSummary }
  | { type: 'dialogClosed'; id: number }
  /** What only viewers with control get. The one that was open before is closed. */
  | { type: 'picker'; picker: PickerSummary }
  | { type: 'pickerClosed'; id: number }
  | { type: 'fileChooser'; chooser: FileChooserSummary }
  | { type: 'fileChooserClosed'; id: number }
  /** The latest downloads, the newest first. */
  | { type: 'downloads'; downloads: DownloadSummary[] }
  /** The current step of a prompt, such as `click button "Send"`. Without a text, no prompt is running. */
  | { type: 'step'; text: string | undefined }
  /** A sentence that viewers see for a while. */
  | { type: 'notice'; text: string }
  | { type: 'clipboard'; text: string };
