import type { PNG } from 'pngjs';

import { encodePng } from './png-file.js';
import type { QrDrawing } from './qr-drawing.js';

/** Numbers, checked colours and base64 are all that is written into it. */
export async function drawSvg(drawing: QrDrawing): Promise<string> {
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
    ...(await drawLogo(drawing)),
    '</svg>',
  ].join('');
}

/** The picture is written anew: only its pixels get into the answer. */
async function drawLogo({ logo, plate, moduleSide, bgColor }: QrDrawing): Promise<string[]> {
  if (logo === null) return [];
  const at = (inset: number) => {
    const [from, side] = [plate.left + inset, plate.side - 2 * inset];
    return `x="${from}" y="${from}" width="${side}" height="${side}"`;
  };
  const png = await encodePng({ width: logo.width, height: logo.height, samples: 4, rows: rowsOf(logo) });
  return [
    `<rect fill="${bgColor}" ${at(0)}/>`,
    `<image ${at(moduleSide / 2)} href="data:image/png;base64,${png.toString('base64')}"/>`,
  ];
}

function rowsOf({ data, width, height }: PNG): Buffer {
  const rows = Buffer.alloc((1 + width * 4) * height);
  for (let y = 0; y < height; y++) data.copy(rows, y * (1 + width * 4) + 1, y * width * 4, (y + 1) * width * 4);
  return rows;
}
