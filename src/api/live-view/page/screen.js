import { element } from './elements.js';

const HEADER_BYTES = 12;

/** The picture of the remote tab. */
export class Screen {
  #canvas = element('screen', HTMLCanvasElement);
  #context = this.#canvas.getContext('2d');
  /** Size of the remote viewport in CSS pixels, and height of the bars above it. */
  #viewport = { width: 1, height: 1, top: 0 };

  get canvas() {
    return this.#canvas;
  }

  /**
   * Draws a frame.
   * @param {ArrayBuffer} data as described in schemas/live-view.ts
   * @returns {Promise<number>} the number of the frame
   */
  async draw(data) {
    const header = new DataView(data);
    const image = await createImageBitmap(
      new Blob([new Uint8Array(data, HEADER_BYTES)], { type: 'image/jpeg' }),
    );
    this.#viewport = {
      width: header.getUint16(4, true),
      height: header.getUint16(6, true),
      top: header.getUint16(8, true),
    };
    if (this.#canvas.width !== image.width || this.#canvas.height !== image.height) {
      this.#canvas.width = image.width;
      this.#canvas.height = image.height;
    }
    this.#context?.drawImage(image, 0, 0);
    image.close();
    return header.getUint32(0, true);
  }

  /** @param {boolean} isStale whether the picture may be old, because there is no connection */
  setStale(isStale) {
    this.#canvas.toggleAttribute('data-stale', isStale);
  }

  clear() {
    this.#context?.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
  }

  /**
   * Where in the remote viewport a point of this page is.
   * @param {{ clientX: number, clientY: number }} point
   */
  toRemote({ clientX, clientY }) {
    const box = this.#canvas.getBoundingClientRect();
    const { width, height, top } = this.#viewport;
    const scale = Math.min(box.width / width, box.height / height);
    return {
      x: clamp((clientX - box.left) / scale),
      y: clamp((clientY - box.top) / scale - top),
    };
  }
}

/** @param {number} value a coordinate, which may be far outside while the mouse is dragged */
const clamp = (value) => Math.max(-32_768, Math.min(32_767, Math.round(value * 100) / 100));
