/** Where a form of a page is to go. */
export interface Aim {
  /** An address of the canary that tells the form apart. */
  url: string;
  /** The same as a WebSocket's. */
  ws: string;
  /** An address of the page's own site that redirects there. */
  redirect: string;
  host: string;
  port: number;
}

const script = (code: string) => `<script>{ ${code} }</script>`;
const inWorker = (code: string) =>
  `URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' }))`;
const frameOf = (html: string) => html.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** Every way we know in which a page makes its browser connect to an address, as HTML. */
export const FORMS: Record<string, (aim: Aim) => string> = {
  'XML stylesheet': ({ url }) =>
    `<iframe src="/xml?${new URLSearchParams({ xml: `<?xml-stylesheet type="text/css" href="${url}"?><a/>` })}"></iframe>`,
  'img src': ({ url }) => `<img src="${url}">`,
  'img srcset': ({ url }) => `<img srcset="${url} 1x">`,
  'picture source': ({ url }) => `<picture><source srcset="${url}"><img src="/none.png"></picture>`,
  'image in script': ({ url }) => script(`new Image().src = '${url}'`),
  'input image': ({ url }) => `<input type="image" src="${url}">`,
  'svg image': ({ url }) => `<svg><image href="${url}" width="9" height="9"/></svg>`,
  'body background': ({ url }) => `<table background="${url}"><tr><td>x</table>`,
  'css background': ({ url }) => `<div style="background:url(${url})">x</div>`,
  'css image-set': ({ url }) => `<div style="background:image-set('${url}' 1x)">x</div>`,
  'css list marker': ({ url }) => `<ul style="list-style-image:url(${url})"><li>x</ul>`,
  'css import': ({ url }) => `<style>@import url(${url});</style>`,
  'css font': ({ url }) =>
    `<style>@font-face { font-family: hostile; src: url(${url}) }</style><p style="font-family: hostile">x</p>`,
  'font in script': ({ url }) => script(`new FontFace('scripted', 'url(${url})').load().catch(() => 0)`),
  stylesheet: ({ url }) => `<link rel="stylesheet" href="${url}">`,
  script: ({ url }) => `<script async src="${url}"></script>`,
  'module script': ({ url }) => `<script type="module" src="${url}"></script>`,
  'dynamic import': ({ url }) => script(`import('${url}').catch(() => 0)`),
  iframe: ({ url }) => `<iframe src="${url}"></iframe>`,
  'iframe srcdoc': ({ url }) => `<iframe srcdoc="${frameOf(`<img src="${url}">`)}"></iframe>`,
  'iframe sandbox': ({ url }) => `<iframe sandbox="" src="${url}"></iframe>`,
  'iframe data': ({ url }) =>
    `<iframe src="data:text/html,${encodeURIComponent(`<img src="${url}">`)}"></iframe>`,
  'iframe blob': ({ url }) =>
    `<iframe id="blobbed"></iframe>${script(
      `blobbed.src = URL.createObjectURL(new Blob(['<img src="${url}">'], { type: 'text/html' }))`,
    )}`,
  'iframe javascript': ({ url }) => `<iframe src="javascript:'${frameOf(`<img src="${url}">`)}'"></iframe>`,
  'iframe meta refresh': ({ url }) =>
    `<iframe srcdoc="${frameOf(`<meta http-equiv="refresh" content="0;url=${url}">`)}"></iframe>`,
  'iframe location': ({ url }) =>
    `<iframe srcdoc="${frameOf(`<script>location = '${url}'</script>`)}"></iframe>`,
  object: ({ url }) => `<object data="${url}" type="text/html"></object>`,
  embed: ({ url }) => `<embed src="${url}" type="text/html">`,
  video: ({ url }) => `<video src="${url}" preload="auto"></video>`,
  'video poster': ({ url }) => `<video poster="${url}"></video>`,
  'audio source': ({ url }) => `<audio preload="auto"><source src="${url}"></audio>`,
  track: ({ url }) =>
    `<video crossorigin src="/none.mp4"><track default kind="captions" src="${url}"></video>`,
  preload: ({ url }) => `<link rel="preload" as="fetch" crossorigin href="${url}">`,
  modulepreload: ({ url }) => `<link rel="modulepreload" href="${url}">`,
  prefetch: ({ url }) => `<link rel="prefetch" href="${url}">`,
  fetch: ({ url }) => script(`fetch('${url}').catch(() => 0)`),
  'fetch no-cors': ({ url }) => script(`fetch('${url}', { mode: 'no-cors' }).catch(() => 0)`),
  'fetch POST with preflight': ({ url }) =>
    script(`fetch('${url}', { method: 'PUT', headers: { 'X-A': 'b' } }).catch(() => 0)`),
  'fetch keepalive': ({ url }) => script(`fetch('${url}', { keepalive: true }).catch(() => 0)`),
  'fetch redirected': ({ redirect }) => script(`fetch('${redirect}').catch(() => 0)`),
  'fetch POST redirected': ({ redirect }) =>
    script(`fetch('${redirect}&status=307', { method: 'POST', body: 'x' }).catch(() => 0)`),
  'img redirected': ({ redirect }) => `<img src="${redirect}">`,
  'script redirected': ({ redirect }) => `<script async src="${redirect}"></script>`,
  'stylesheet redirected': ({ redirect }) => `<link rel="stylesheet" href="${redirect}">`,
  'iframe redirected': ({ redirect }) => `<iframe src="${redirect}"></iframe>`,
  XMLHttpRequest: ({ url }) =>
    script(`const xhr = new XMLHttpRequest(); xhr.open('GET', '${url}'); xhr.send()`),
  'synchronous XMLHttpRequest': ({ url }) =>
    script(`const xhr = new XMLHttpRequest(); xhr.open('GET', '${url}', false); try { xhr.send() } catch {}`),
  sendBeacon: ({ url }) => script(`navigator.sendBeacon('${url}', 'x')`),
  EventSource: ({ url }) =>
    script(`const source = new EventSource('${url}'); source.onerror = () => source.close()`),
  WebSocket: ({ ws }) => script(`new WebSocket('${ws}')`),
  'worker import': ({ url }) => script(`new Worker(${inWorker(`importScripts('${url}')`)})`),
  'worker fetch': ({ url }) => script(`new Worker(${inWorker(`fetch('${url}').catch(() => 0)`)})`),
  'worker WebSocket': ({ ws }) => script(`new Worker(${inWorker(`new WebSocket('${ws}')`)})`),
  'shared worker import': ({ url }) => script(`new SharedWorker(${inWorker(`importScripts('${url}')`)})`),
  'shared worker fetch': ({ url }) =>
    script(`new SharedWorker(${inWorker(`fetch('${url}').catch(() => 0)`)})`),
  worklet: ({ url }) =>
    script(`new OfflineAudioContext(1, 9, 9000).audioWorklet.addModule('${url}').catch(() => 0)`),
  'form GET in a frame': ({ url }) =>
    `<iframe name="got"></iframe><form id="getting" action="${url}" target="got"></form>${script('getting.submit()')}`,
  'form POST in a frame': ({ url }) =>
    `<iframe name="posted"></iframe><form id="posting" method="post" action="${url}" target="posted"></form>${script(
      'posting.submit()',
    )}`,
  'window.open': ({ url }) => script(`window.open('${url}')`),
  'window.open and then location': ({ url }) => script(`window.open('about:blank').location = '${url}'`),
  'link to a new tab': ({ url }) => `<a id="tab" target="_blank" href="${url}">x</a>${script('tab.click()')}`,
  'link with ping': ({ url }) =>
    `<iframe name="pinged"></iframe><a id="pinging" href="/none" target="pinged" ping="${url}">x</a>${script(
      'pinging.click()',
    )}`,
};

/** Ways that are closed wherever they go, so that none of them is ever heard of. */
export const CLOSED: Record<string, (aim: Aim) => string> = {
  'STUN over UDP': ({ host, port }) =>
    script(`const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${host}:${port}' }] });
      peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer))`),
  'TURN over UDP': ({ host, port }) =>
    script(`const peer = new RTCPeerConnection({
      iceServers: [{ urls: 'turn:${host}:${port}', username: 'a', credential: 'b' }] });
      peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer))`),
  'WebRTC candidate': ({ host, port }) =>
    script(`const peer = new RTCPeerConnection(); peer.createDataChannel('x');
      peer.createOffer().then(async (offer) => {
        await peer.setLocalDescription(offer);
        const other = new RTCPeerConnection();
        await other.setRemoteDescription(offer);
        await other.setLocalDescription(await other.createAnswer());
        await peer.setRemoteDescription(other.localDescription);
        for (const [kind, more] of [['udp', ''], ['tcp', ' tcptype passive']])
          await peer.addIceCandidate({ sdpMid: '0',
            candidate: 'candidate:1 1 ' + kind + ' 2122260223 ${host} ${port} typ host' + more });
      }).catch(() => 0)`),
  'TURN over TCP': ({ host, port }) =>
    script(`const peer = new RTCPeerConnection({
      iceServers: [{ urls: 'turn:${host}:${port}?transport=tcp', username: 'a', credential: 'b' }] });
      peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer))`),
  'XSL stylesheet': ({ url }) =>
    `<iframe src="/xml?${new URLSearchParams({ xml: `<?xml-stylesheet type="text/xsl" href="${url}"?><a/>` })}"></iframe>`,
  WebTransport: ({ host, port }) =>
    script(`new WebTransport('https://${host}:${port}/').ready.catch(() => 0)`),
  'service worker': ({ url }) =>
    script(
      `navigator.serviceWorker?.register('/service-worker.js?' + encodeURIComponent('${url}')).catch(() => 0)`,
    ),
  'DNS prefetch': ({ host }) => `<link rel="dns-prefetch" href="//${host}">`,
  preconnect: ({ url }) => `<link rel="preconnect" href="${url}">`,
  'TLS preconnect': ({ url }) => `<link rel="preconnect" href="${url.replace('http:', 'https:')}">`,
  'TLS image': ({ url }) => `<img src="${url.replace('http:', 'https:')}">`,
  'secure WebSocket': ({ ws }) => script(`new WebSocket('${ws.replace('ws:', 'wss:')}')`),
  'ftp image': ({ url }) => `<img src="${url.replace('http:', 'ftp:')}">`,
  favicon: ({ url }) => `<link rel="icon" href="${url}">`,
  manifest: ({ url }) => `<link rel="manifest" href="${url}">`,
  prerender: ({ url }) =>
    `<script type="speculationrules">{"prerender":[{"urls":["${url}"]}],"prefetch":[{"urls":["${url}"]}]}</script>`,
  'source map': ({ url }) => `<script>let mapped = 1;\n//# sourceMappingURL=${url}</script>`,
  'link to download': ({ url }) =>
    `<a id="download" download href="${url}">x</a>${script('download.click()')}`,
  applet: ({ url }) => `<applet code="${url}"></applet>`,
  portal: ({ url }) => `<portal src="${url}"></portal>`,
  fencedframe: ({ url }) => `<fencedframe src="${url}"></fencedframe>`,
};
