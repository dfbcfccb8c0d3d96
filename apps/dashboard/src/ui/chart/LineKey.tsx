import { COLORS, type LineStyle } from './colors.js';

const { light, dark } = COLORS;

interface Props {
  style: LineStyle;
  /** Which of many it is. */
  nth?: number;
}

/** How a line looks: by colour, then by its dashes. */
export function LineKey({ style, nth = 0 }: Props) {
  const place = nth % light.many.length;
  const [stroke, isDashed, width] =
    style === 'one-of-many'
      ? ([[light.many[place] ?? light.main, dark.many[place] ?? dark.main], nth >= light.many.length, 2.5] as const)
      : style === 'compared'
        ? ([[light.compared, dark.compared], true, 1.5] as const)
        : ([[light.main, dark.main], style === 'open', 2.5] as const);
  return (
    <svg width={24} height={8} aria-hidden="true">
      <line
        x1={0}
        x2={24}
        y1={4}
        y2={4}
        strokeWidth={width}
        stroke={`light-dark(${stroke.join(', ')})`}
        strokeDasharray={isDashed ? '5 4' : undefined}
      />
    </svg>
  );
}
