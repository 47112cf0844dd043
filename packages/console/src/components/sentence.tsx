import { Code } from '@mantine/core';

/** A sentence of the platform: names in backticks are shown as code, and it begins and ends as a sentence does. */
export function Sentence({ text }: { readonly text: string }) {
  const parts = text.split('`');
  const words = parts.map((part, index) => ({ part, key: `${index} ${part}`, isName: index % 2 === 1 }));
  return (
    <span>
      {words.map(({ part, key, isName }, index) =>
        isName ? <Code key={key}>{part}</Code> : index === 0 ? `${part.charAt(0).toUpperCase()}${part.slice(1)}` : part,
      )}
      {/[.!?]$/.test(text) ? '' : '.'}
    </span>
  );
}
