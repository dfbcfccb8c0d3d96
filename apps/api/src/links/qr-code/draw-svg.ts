import { PNG } from 'pngjs';

import type { QrDrawing } from './qr-drawing.js';

/** Numbers, checked colours and base64 are all that is written into it. */
export function drawSvg(drawing: QrDrawing): string {
  const { side, modules, moduleSide, left, color, bgColor } = drawing;
  const rows = Array.from({ length: modules }, (_, row) =>
    drawing
      .darkRuns(row)
      .map(({ start, end }) => {
        const width = (end - start) * moduleSide;
        return `M${left + start * moduleSide} ${left + row * moduleSide}h${width}v${moduleSide}h-${width}z`;
      })
      .join(''),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 ${side} ${side}">`,
    `<path fill="${bgColor}" d="M0 0h${side}v${side}h-${side}z"/>`,
    `<path fill="${color}" shape-rendering="crispEdges" d="${rows.join('')}"/>`,
    ...drawLogo(drawing),
    '</svg>',
  ].join('');
}

/** The picture is written anew: only its pixels get into the answer. */
function drawLogo({ logo, plate, moduleSide, bgColor }: QrDrawing): string[] {
  if (logo === null) return [];
  const at = (inset: number) => {
    const [from, side] = [plate.left + inset, plate.side - 2 * inset];
    return `x="${from}" y="${from}" width="${side}" height="${side}"`;
  };
  const data = PNG.sync.write(logo).toString('base64');
  return [`<rect fill="${bgColor}" ${at(0)}/>`, `<image ${at(moduleSide / 2)} href="data:image/png;base64,${data}"/>`];
}
