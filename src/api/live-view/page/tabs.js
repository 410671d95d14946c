/** @import { HostMessage } from '../../../schemas/live-view.ts' */
/** @import { Connection } from './connection.js' */
import { element } from './elements.js';

/**
 * Shows the list of tabs if there is more than one.
 * @param {Extract<HostMessage, { type: 'tabs' }>} message
 * @param {{ connection: Connection, mayControl: boolean }} options
 */
export function showTabs({ tabs, shownTargetId }, { connection, mayControl }) {
  const strip = element('tabs', HTMLElement);
  strip.hidden = tabs.length < 2;
  strip.replaceChildren(
    ...tabs.map(({ targetId, title, url }) => {
      const tab = document.createElement('span');
      tab.toggleAttribute('data-shown', targetId === shownTargetId);
      const name = title || url || 'New tab';
      tab.append(createButton(name, url, () => connection.send({ type: 'showTab', targetId }), mayControl));
      if (mayControl)
        tab.append(
          createButton('×', `Close ${name}`, () => connection.send({ type: 'closeTab', targetId }), true),
        );
      return tab;
    }),
  );
}

/**
 * @param {string} text
 * @param {string} title
 * @param {() => void} onClick
 * @param {boolean} isEnabled
 */
function createButton(text, title, onClick, isEnabled) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = text;
  button.title = title;
  button.disabled = !isEnabled;
  button.onclick = onClick;
  return button;
}
