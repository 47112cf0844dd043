import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** A secret or a link. */
  readonly value: string;
  /** What it is, such as `key`. */
  readonly what: string;
  /** The operations of to on it. */
  readonly children: ReactNode;
  readonly onDone: () => void;
}

/** What the platform shows this once, because it keeps a digest of it alone. */
export function ShownOnce({ value, what, children, onDone }: Props) {
  return (
    <Stack>
      <Alert color="yellow" title={`Copy the ${what} now. It is not shown again.`}>
        <Text size="sm">{children}</Text>
      </Alert>
      <Code
        block
        tabIndex={0}
        role="region"
        aria-label={`The ${what}`}
        style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}
      >
        {value}
      </Code>
      <Group justify="flex-end">
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? 'Copied' : `Copy the ${what}`}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  );
}
