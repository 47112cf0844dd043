/**
 * A page as plain values. The static site writes them as HTML (`html.ts`), and a browser makes elements of them
 * (`elements.ts`), so both show the same, and text is text in both.
 */
export interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Child[];
}

export type Child = Element | string;

export function h(tag: string, attributes: Element['attributes'] = {}, ...children: readonly Child[]): Element {
  return { tag, attributes, children };
}

/** A sentence of a description: names in backticks are shown as code, and it begins and ends as a sentence does. */
export function sentence(text: string): readonly Child[] {
  if (text === '') return [];
  const parts = text.split('`');
  const words = parts.map((part, index) =>
    index % 2 === 1 ? h('code', {}, part) : index === 0 ? `${part.charAt(0).toUpperCase()}${part.slice(1)}` : part,
  );
  return [...words, ...(/[.!?:]$/.test(text) ? [] : ['.'])].filter((word) => word !== '');
}
