import { computed, signal } from '@preact/signals';
import type {
  DialogSummary,
  DownloadSummary,
  FileChooserSummary,
  PickerSummary,
  TabSummary,
} from '../../../schemas/live-view.ts';

const { dataset } = document.documentElement;
const query = new URLSearchParams(location.search);

/** What the page was opened for. */
export const settings = {
  mayControl: dataset.mayControl === 'true',
  aliveMs: Number(dataset.aliveMs),
  maxPasteLength: Number(dataset.maxPaste),
  maxFiles: Number(dataset.maxFiles),
  /** Whether the bar of the browser is shown; pages that embed the view may have one of their own. */
  hasToolbar: query.get('toolbar') !== 'false',
};

/** Whether there is a connection to the session. */
export const connectionState = signal<'connecting' | 'open' | 'lost' | 'ended'>('connecting');
/** What a prompt does now; empty if none runs. */
export const step = signal('');

export const tabs = signal<TabSummary[]>([]);
export const shownTargetId = signal<string | undefined>(undefined);
/** The tab that is shown. */
export const shownTab = computed(() => tabs.value.find(({ targetId }) => targetId === shownTargetId.value));
/** The open dialogs of pages, of which the first is shown. */
export const dialogs = signal<DialogSummary[]>([]);
export const picker = signal<PickerSummary | undefined>(undefined);
export const fileChooser = signal<FileChooserSummary | undefined>(undefined);
export const downloads = signal<DownloadSummary[]>([]);
/** Text for the viewer's clipboard that a click has to put there. */
export const copiedText = signal<string | undefined>(undefined);
/** Whether the remote viewport takes the size of this page. */
export const followsSize = signal(settings.mayControl && query.get('resize') === 'true');
/** Where the pointer was pressed last, in this page. */
export const lastPress = signal({ x: 0, y: 0 });
/** When the session ends, in the time of `performance.now()`. */
export const endsAt = signal(performance.now() + Number(dataset.remainingMs));
