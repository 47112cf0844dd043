import { Code } from '@mantine/core';

/** Names beside each other, each once. */
export function Names({ names }: { readonly names: readonly string[] }) {
  return (
    <>
      {[...new Set(names)].map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <Code>{name === '' ? ' ' : name}</Code>
        </span>
      ))}
    </>
  );
}
