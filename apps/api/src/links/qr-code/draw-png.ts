import { PNG } from 'pngjs';

import type { QrDrawing } from './qr-drawing.js';

/** Deflated outside of the event loop's thread. */
export function drawPng(drawing: QrDrawing): Promise<Buffer> {
  const { side, modules, moduleSide, left } = drawing;
  // No filter: rows of a QR code repeat, which deflate alone finds best.
  const png = new PNG({ width: side, height: side, colorType: 2, filterType: 0 });
  png.data.fill(pixel(drawing.bgColor));
  const dark = pixel(drawing.color);
  for (let row = 0; row < modules; row++) {
    const runs = drawing.darkRuns(row);
    const top = left + row * moduleSide;
    for (let y = top; y < top + moduleSide; y++) {
      for (const { start, end } of runs) fillRow(png, y, left + start * moduleSide, left + end * moduleSide, dark);
    }
  }
  if (drawing.logo !== null) drawLogo(png, drawing, drawing.logo);
  return pack(png);
}

/** Its stream is one of the first kind, which cannot be iterated. */
function pack(png: PNG): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    png.on('data', (chunk: Buffer) => chunks.push(chunk));
    png.on('end', () => resolve(Buffer.concat(chunks)));
    png.on('error', reject);
    png.pack();
  });
}

function fillRow(png: PNG, y: number, from: number, to: number, colour: Buffer): void {
  png.data.fill(colour, (y * png.width + from) * 4, (y * png.width + to) * 4);
}

function pixel(colour: string): Buffer {
  return Buffer.from(`${colour.slice(1)}ff`, 'hex');
}

/** In the middle of its plate, as large as fits with half a module around, its proportions kept. */
function drawLogo(png: PNG, { plate, moduleSide, bgColor }: QrDrawing, logo: PNG): void {
  const ground = pixel(bgColor);
  for (let y = plate.left; y < plate.left + plate.side; y++) {
    fillRow(png, y, plate.left, plate.left + plate.side, ground);
  }
  const room = Math.max(1, plate.side - moduleSide);
  const scale = Math.max(logo.width, logo.height) / room;
  const [width, height] = [logo.width, logo.height].map((length) => Math.max(1, Math.floor(length / scale))) as [
    number,
    number,
  ];
  const [left, top] = [width, height].map((length) => plate.left + Math.floor((plate.side - length) / 2)) as [
    number,
    number,
  ];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const seen = average(logo, { left: x * scale, top: y * scale, side: scale });
      const at = ((top + y) * png.width + left + x) * 4;
      for (let channel = 0; channel < 3; channel++) {
        const behind = ground[channel] as number;
        png.data[at + channel] = Math.round((seen[channel] as number) + behind * (1 - seen[3]));
      }
    }
  }
}

/** Of the pixels in that square: red, green, blue times their alpha, and the alpha (0 to 1). */
function average(
  { data, width, height }: PNG,
  { left, top, side }: { left: number; top: number; side: number },
): [number, number, number, number] {
  const sum: [number, number, number, number] = [0, 0, 0, 0];
  let count = 0;
  for (let y = Math.floor(top); y < Math.min(height, Math.max(Math.floor(top) + 1, top + side)); y++) {
    for (let x = Math.floor(left); x < Math.min(width, Math.max(Math.floor(left) + 1, left + side)); x++) {
      const at = (y * width + x) * 4;
      const alpha = (data[at + 3] as number) / 255;
      for (let channel = 0; channel < 3; channel++) (sum[channel] as number) += (data[at + channel] as number) * alpha;
      sum[3] += alpha;
      count += 1;
    }
  }
  return sum.map((value) => value / count) as typeof sum;
}
