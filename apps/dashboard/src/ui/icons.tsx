const PATHS = {
  overview: 'M4 19V5m0 14h16M8 16v-5m4 5V8m4 8v-3',
  links: 'M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1 1m2 3.500a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1-1',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  key: 'M14.500 9.500a4 4 0 1 1-2-3.500M11 9l9 9m-3-3l2-2m1 5l-2 2',
  users:
    'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7M3 20c0-7 12-7 12 0m1-16a3.500 3.500 0 0 1 0 7m5 9c0-3.500-2-5-4-5.500',
  tags: 'M4 4h7l9 9-7 7-9-9zM8 8h.01',
  domains: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M3 12h18M12 3c-5 5-5 13 0 18 5-5 5-13 0-18',
  groups: 'M3 6h6l2 2h10v11H3z',
  blocks: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M6 6l12 12',
  webhooks: 'M13 3L5 14h6l-1 7 8-11h-6z',
  auditLog: 'M5 3h14v18H5zM9 8h6m-6 4h6m-6 4h3',
  system: 'M3 12h4l3-7 4 14 3-7h4',
  hosts: 'M9 3h6v5H9zM3 16h6v5H3zM15 16h6v5h-6zM12 8v4M6 16v-4h12v4',
  orphans: 'M9.500 9a2.500 2.500 0 1 1 3.500 2.300c-.8.400-1 .9-1 1.700M12 17h.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18',
  alerts: 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  settings: 'M4 7h10m4 0h2M4 17h2m4 0h10M14 5v4M10 15v4',
  check: 'M5 12l5 5 9-10',
} as const;
export type IconName = keyof typeof PATHS;

/** Beside a text, or within something that has a label. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 3 : 1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
