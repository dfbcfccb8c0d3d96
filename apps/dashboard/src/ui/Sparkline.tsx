interface Props {
  values: readonly number[];
  /** What it shows, for who cannot see it. */
  label: string;
}

const [WIDTH, HEIGHT] = [88, 22];

/** The shape of a curve, without axes: its numbers are on the page of what it is of. */
export function Sparkline({ values, label }: Props) {
  const most = Math.max(...values, 1);
  const xOf = (index: number) => (index / Math.max(values.length - 1, 1)) * (WIDTH - 2) + 1;
  const points = values.map(
    (value, index) => `${xOf(index).toFixed(1)},${(HEIGHT - 2 - (value / most) * (HEIGHT - 4)).toFixed(1)}`,
  );
  return (
    <svg width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="light-dark(var(--mantine-color-cyan-8), var(--mantine-color-cyan-4))"
        strokeWidth={1.5}
        strokeLinejoin="round"
      />
    </svg>
  );
}
