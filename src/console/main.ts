import { html } from 'htm/preact';
import { render } from 'preact';
import { Frame } from './frame.ts';

render(html`<${Frame} />`, document.body);
