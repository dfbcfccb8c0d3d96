import { COLORS } from './colors.js';

const { light, dark } = COLORS;

/** How the line looks that is the nth of many: by colour, then by its dashes. */
export function LineKey({ nth }: { nth: number }) {
  const place = nth % light.many.length;
  return (
    <svg width={24} height={8} aria-hidden="true">
      <line
        x1={0}
        x2={24}
        y1={4}
        y2={4}
        strokeWidth={2.5}
        stroke={`light-dark(${light.many[place] ?? light.main}, ${dark.many[place] ?? dark.main})`}
        strokeDasharray={nth < light.many.length ? undefined : '5 4'}
      />
    </svg>
  );
}
