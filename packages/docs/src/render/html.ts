import type { Child } from './tree.ts';

/** The HTML of a page's part. */
export function htmlOf(...children: readonly Child[]): string {
  return children.map(htmlOfOne).join('');
}

function htmlOfOne(child: Child): string {
  if (typeof child === 'string') return escaped(child);
  const { tag, attributes, children } = child;
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`);
  const head = `<${tag}${written.join('')}>`;
  return voidTags.has(tag) ? head : `${head}${htmlOf(...children)}</${tag}>`;
}

const voidTags = new Set(['input', 'br', 'hr', 'img']);

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? '');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
