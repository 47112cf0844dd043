import type { Child } from './tree.ts';

/** Elements for a browser. What a document says gets into the page as text and as names of its own anchors alone. */
export function elementsOf(children: readonly Child[]): readonly Node[] {
  return children.map((child) => {
    if (typeof child === 'string') return document.createTextNode(child);
    const element = document.createElement(child.tag);
    for (const [name, value] of Object.entries(child.attributes)) element.setAttribute(name, value);
    element.append(...elementsOf(child.children));
    return element;
  });
}
