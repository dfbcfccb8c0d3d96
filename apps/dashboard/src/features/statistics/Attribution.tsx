import { Anchor, Text } from '@mantine/core';

import { attributionPieces } from './attribution-pieces.js';

/** Beside places and networks: the licence of the data asks for it wherever they are shown. */
export function Attribution({ line }: { line: string }) {
  return (
    // As the api says it, in English.
    <Text size="xs" c="dimmed" mt="xs" lang="en" data-attribution="">
      {attributionPieces(line).map(({ text, href }, nth) =>
        href === undefined ? (
          text
        ) : (
          <Anchor
            key={nth}
            href={href}
            rel="noopener noreferrer"
            target="_blank"
            underline="always"
            c="inherit"
            inherit
          >
            {text}
          </Anchor>
        ),
      )}
    </Text>
  );
}
