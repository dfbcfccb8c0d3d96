import type { PNG } from 'pngjs';

import { encodePng } from './png-file.js';
import type { QrDrawing } from './qr-drawing.js';

const SAMPLES = 3;

/** Its rows; a pixel is red, green and blue. */
class Canvas {
  readonly rows: Buffer;
  readonly rowBytes: number;

  constructor(readonly side: number) {
    this.rowBytes = 1 + side * SAMPLES;
    this.rows = Buffer.alloc(this.rowBytes * side);
  }

  /** Where the colour of that pixel begins. */
  at(x: number, y: number): number {
    return y * this.rowBytes + 1 + x * SAMPLES;
  }

  fill(y: number, from: number, to: number, colour: Buffer): void {
    this.rows.fill(colour, this.at(from, y), this.at(to, y));
  }

  repeat(y: number, from: number, to: number): void {
    const row = this.rows.subarray(y * this.rowBytes, (y + 1) * this.rowBytes);
    for (let other = from; other < to; other++) row.copy(this.rows, other * this.rowBytes);
  }
}

export function drawPng(drawing: QrDrawing): Promise<Buffer> {
  const { side, modules, moduleSide, left } = drawing;
  const canvas = new Canvas(side);
  const [dark, ground] = [pixel(drawing.color), pixel(drawing.bgColor)];
  canvas.fill(0, 0, side, ground);
  canvas.repeat(0, 1, side);
  for (let row = 0; row < modules; row++) {
    const top = left + row * moduleSide;
    for (const { start, end } of drawing.darkRuns(row)) {
      canvas.fill(top, left + start * moduleSide, left + end * moduleSide, dark);
    }
    canvas.repeat(top, top + 1, top + moduleSide);
  }
  if (drawing.logo !== null) drawLogo(canvas, drawing, drawing.logo);
  return encodePng({ width: side, height: side, samples: SAMPLES, rows: canvas.rows });
}

function pixel(colour: string): Buffer {
  return Buffer.from(colour.slice(1), 'hex');
}

/** In the middle of its plate, as large as fits with half a module around, its proportions kept. */
function drawLogo(canvas: Canvas, { plate, moduleSide, bgColor }: QrDrawing, logo: PNG): void {
  const ground = pixel(bgColor);
  for (let y = plate.left; y < plate.left + plate.side; y++) {
    canvas.fill(y, plate.left, plate.left + plate.side, ground);
  }
  const room = Math.max(1, plate.side - moduleSide);
  const scale = Math.max(logo.width, logo.height) / room;
  const [width, height] = [fit(logo.width, scale), fit(logo.height, scale)];
  const [left, top] = [width, height].map((length) => plate.left + Math.floor((plate.side - length) / 2)) as [
    number,
    number,
  ];
  const columns = Array.from({ length: width }, (_, x) => stretch(x * scale, scale, logo.width));
  for (let y = 0; y < height; y++) {
    const rows = stretch(y * scale, scale, logo.height);
    for (let x = 0; x < width; x++) {
      blend(logo, rows, columns[x] as Stretch, ground, canvas.rows, canvas.at(left + x, top + y));
    }
  }
}

interface Stretch {
  from: number;
  to: number;
}

function fit(length: number, scale: number): number {
  return Math.max(1, Math.floor(length / scale));
}

/** The logo's rows or columns that one pixel shows, at least one. */
function stretch(start: number, scale: number, length: number): Stretch {
  const from = Math.floor(start);
  return { from, to: Math.min(length, Math.max(from + 1, Math.ceil(start + scale))) };
}

/** Writes the mean colour of those pixels of the logo, before the ground where they are transparent. */
function blend(logo: PNG, rows: Stretch, columns: Stretch, ground: Buffer, into: Buffer, at: number): void {
  const count = (rows.to - rows.from) * (columns.to - columns.from);
  let [red, green, blue, opaque] = [0, 0, 0, 0];
  for (let y = rows.from; y < rows.to; y++) {
    for (let x = columns.from; x < columns.to; x++) {
      const pixelAt = (y * logo.width + x) * 4;
      const alpha = logo.data[pixelAt + 3] as number;
      red += (logo.data[pixelAt] as number) * alpha;
      green += (logo.data[pixelAt + 1] as number) * alpha;
      blue += (logo.data[pixelAt + 2] as number) * alpha;
      opaque += alpha;
    }
  }
  const behind = 1 - opaque / (255 * count);
  into[at] = Math.round(red / (255 * count) + (ground[0] as number) * behind);
  into[at + 1] = Math.round(green / (255 * count) + (ground[1] as number) * behind);
  into[at + 2] = Math.round(blue / (255 * count) + (ground[2] as number) * behind);
}
