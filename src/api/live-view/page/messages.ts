import type { HostMessage, ViewerMessage } from '../../../schemas/live-view.ts';
import { takeCopiedText } from './copied-text.ts';
import type { Screen } from './screen.ts';
import {
  connectionState,
  dialogs,
  downloads,
  fileChooser,
  picker,
  shownTab,
  shownTargetId,
  step,
  tabs,
} from './state.ts';
import { pictureShown, showNotice, showStatus } from './status.ts';

/** Shows what the host of the session sends. */
export function listenTo(
  screen: Screen,
  { send, onOpen }: { send(message: ViewerMessage): void; onOpen(): void },
) {
  const forget = () => {
    dialogs.value = [];
    picker.value = undefined;
    fileChooser.value = undefined;
    step.value = '';
  };
  const showLost = (text: string) => {
    screen.setStale(true);
    showStatus(text);
  };
  const onMessage = (message: HostMessage) => {
    const { type } = message;
    if (type === 'tabs') {
      tabs.value = message.tabs;
      shownTargetId.value = message.shownTargetId;
      const shown = shownTab.value;
      document.title = shown?.title ? `${shown.title} – live view` : 'Live view';
      if (!shown) screen.clear();
      if (shown?.crashed) showStatus('This tab has crashed.');
    } else if (type === 'dialog') dialogs.value = [...dialogs.value, message.dialog];
    else if (type === 'dialogClosed') dialogs.value = dialogs.value.filter(({ id }) => id !== message.id);
    else if (type === 'picker') picker.value = message.picker;
    else if (type === 'pickerClosed') {
      if (picker.value?.id === message.id) picker.value = undefined;
    } else if (type === 'fileChooser') fileChooser.value = message.chooser;
    else if (type === 'fileChooserClosed') {
      if (fileChooser.value?.id === message.id) fileChooser.value = undefined;
    } else if (type === 'downloads') downloads.value = message.downloads;
    else if (type === 'step') step.value = message.text ?? '';
    else if (type === 'clipboard') void takeCopiedText(message.text);
    else if (type === 'notice') showNotice(message.text);
  };
  return {
    onMessage,
    async onFrame(data: ArrayBuffer) {
      const frame = await screen.draw(data);
      // A frame that arrived before the connection was lost may be drawn only now.
      if (connectionState.value === 'open') pictureShown();
      send({ type: 'ack', frame });
    },
    onOpen() {
      connectionState.value = 'open';
      screen.setStale(false);
      forget();
      showStatus('Waiting for the first picture…');
      onOpen();
    },
    onLost() {
      connectionState.value = 'lost';
      showLost('The connection was lost. Connecting again…');
    },
    /** @param reason a key of the sentences in the page, or a sentence */
    onEnd(reason: string) {
      connectionState.value = 'ended';
      const sentences: Record<string, string> = JSON.parse(
        document.querySelector<HTMLTemplateElement>('#end-sentences')?.content.textContent ?? '{}',
      );
      forget();
      showLost(`The session has ended. ${sentences[reason] ?? reason}`);
    },
  };
}
