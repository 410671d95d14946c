import { html } from 'htm/preact';
import { render } from 'preact';
import { LiveView } from './live-view.ts';

render(html`<${LiveView} />`, document.getElementById('app') ?? document.body);
