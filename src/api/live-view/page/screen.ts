const HEADER_BYTES = 12;

/** The picture of the remote tab. */
export class Screen {
  readonly canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D | null;
  /** Size of the remote viewport in CSS pixels, and height of the bars above it. */
  #viewport = { width: 1, height: 1, top: 0 };

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    this.#context = canvas.getContext('2d');
  }

  /**
   * Draws a frame.
   * @param data as described in schemas/live-view.ts
   * @returns the number of the frame
   */
  async draw(data: ArrayBuffer): Promise<number> {
    const header = new DataView(data);
    const image = await createImageBitmap(
      new Blob([new Uint8Array(data, HEADER_BYTES)], { type: 'image/jpeg' }),
    );
    this.#viewport = {
      width: header.getUint16(4, true),
      height: header.getUint16(6, true),
      top: header.getUint16(8, true),
    };
    if (this.canvas.width !== image.width || this.canvas.height !== image.height) {
      this.canvas.width = image.width;
      this.canvas.height = image.height;
    }
    this.#context?.drawImage(image, 0, 0);
    image.close();
    return header.getUint32(0, true);
  }

  /** @param isStale whether the picture may be old, because there is no connection */
  setStale(isStale: boolean): void {
    this.canvas.toggleAttribute('data-stale', isStale);
  }

  /** Removes the picture. */
  clear(): void {
    this.#context?.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  /** Where in the remote viewport a point of this page is. */
  toRemote({ clientX, clientY }: { clientX: number; clientY: number }): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    const { top } = this.#viewport;
    const scale = this.#scale(box);
    return {
      x: clamp((clientX - box.left) / scale),
      y: clamp((clientY - box.top) / scale - top),
    };
  }

  /** Where a point of the remote viewport is, from the upper left corner of the picture, in pixels. */
  toLocal({ x, y }: { x: number; y: number }): { x: number; y: number } {
    const scale = this.#scale(this.canvas.getBoundingClientRect());
    return { x: x * scale, y: (y + this.#viewport.top) * scale };
  }

  #scale(box: DOMRect): number {
    const { width, height } = this.#viewport;
    return Math.min(box.width / width, box.height / height);
  }
}

/** @param value a coordinate, which may be far outside while the mouse is dragged */
const clamp = (value: number) => Math.max(-32_768, Math.min(32_767, Math.round(value * 100) / 100));
