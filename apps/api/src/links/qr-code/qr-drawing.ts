import { AppError } from '@hopcount/runtime';
import type { PNG } from 'pngjs';
import { encodeQR } from 'qr';

import type { QrCodeQuery } from './qr-code.request.js';

/** What the largest code (version 40) holds. */
const MAX_BYTES = { L: 2_953, M: 2_331, Q: 1_663, H: 1_273 } as const;
/** What readers need around the code, in modules (ISO/IEC 18004). */
const QUIET_MODULES = 4;
/** Names that the encoder gives the levels. */
const LEVELS = { L: 'low', M: 'medium', Q: 'quartile', H: 'high' } as const;
/** Light modules that the encoder always draws around the code. */
const BORDER = 1;
/** Of the side: 8 % of the area, where level H makes up for 30 %. */
const LOGO_SHARE = 0.28;
/** (L1 + 0.05) / (L2 + 0.05), as WCAG has it; readers lose codes below. */
const MIN_CONTRAST = 2;

export type QrStyle = Pick<QrCodeQuery, 'size' | 'margin' | 'errorCorrection' | 'color' | 'bgColor'>;

export interface Square {
  left: number;
  side: number;
}

/** A QR code laid out in whole pixels; modules of a broken number of pixels would be blurred at their edges. */
export class QrDrawing {
  /** Of the picture, in pixels. */
  readonly side: number;
  /** Of a module, in pixels. */
  readonly moduleSide: number;
  /** Modules a side. */
  readonly modules: number;
  /** Where the first module begins; as far from the top. */
  readonly left: number;
  readonly color: string;
  readonly bgColor: string;
  /** By row and column: whether the module is dark. */
  readonly #dark: readonly (readonly boolean[])[];

  /** @throws AppError `invalid-data` when no reader could read it */
  constructor(
    text: string,
    style: QrStyle,
    readonly logo: PNG | null,
  ) {
    const { size, color, bgColor } = style;
    if (contrast(color, bgColor) < MIN_CONTRAST) {
      throw invalid('bgColor', 'The two colours are too alike for a reader: choose a lighter or a darker one.');
    }
    this.#dark = encode(text, logo === null ? style.errorCorrection : 'H');
    this.modules = this.#dark.length;
    this.moduleSide = Math.floor(size / this.modules);
    if (this.moduleSide === 0) {
      throw invalid('size', `This QR code has ${this.modules} modules a side: its size must be at least that.`);
    }
    const margin = style.margin ?? QUIET_MODULES * this.moduleSide;
    this.side = size + 2 * margin;
    this.left = margin + Math.floor((size - this.modules * this.moduleSide) / 2);
    this.color = color;
    this.bgColor = bgColor;
  }

  /** Stretches of dark modules in a row, in modules. */
  darkRuns(row: number): { start: number; end: number }[] {
    const runs: { start: number; end: number }[] = [];
    for (let column = 0; column < this.modules; column++) {
      if (this.#dark[row]?.[column] !== true) continue;
      const last = runs.at(-1);
      if (last?.end === column) last.end += 1;
      else runs.push({ start: column, end: column + 1 });
    }
    return runs;
  }

  /** What the logo covers, in pixels: whole modules around the middle one, in the colour of the background. */
  get plate(): Square {
    const modules = Math.floor((this.modules * LOGO_SHARE - 1) / 2) * 2 + 1;
    const side = modules * this.moduleSide;
    return { left: this.left + ((this.modules - modules) / 2) * this.moduleSide, side };
  }
}

function encode(text: string, level: QrStyle['errorCorrection']): boolean[][] {
  if (text.length > MAX_BYTES[level]) {
    throw invalid(
      'errorCorrection',
      `The short URL has more than the ${MAX_BYTES[level]} characters of level ${level}.`,
    );
  }
  const rows = encodeQR(text, 'raw', { ecc: LEVELS[level], border: BORDER });
  return rows.slice(BORDER, -BORDER).map((row) => row.slice(BORDER, -BORDER));
}

function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Relative luminance of sRGB `#rrggbb`, 0 to 1 (WCAG 2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [...Buffer.from(colour.slice(1), 'hex')].map((byte) => {
    const share = byte / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: [field] } });
}
