import { Code } from '@mantine/core';

interface Props {
  readonly label: string;
  readonly value: unknown;
}

/** A value as JSON to read, which the keyboard can scroll. */
export function JsonBlock({ label, value }: Props) {
  return (
    <Code block mah={320} tabIndex={0} role="region" aria-label={label}>
      {JSON.stringify(value, null, 2)}
    </Code>
  );
}
