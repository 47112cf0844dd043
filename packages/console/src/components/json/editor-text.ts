import { Annotation } from '@codemirror/state';
import type { EditorView, ViewUpdate } from '@codemirror/view';

const shown = Annotation.define<true>();

/** Replaces the text of an editor by the text of the form beside it. */
export function showText(view: EditorView, text: string): void {
  if (view.state.doc.toString() === text) return;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, annotations: shown.of(true) });
}

/**
 * Whether the builder changed the text. A text that the form gave is not reported back: the form may hold a newer one
 * by then, which the report would undo.
 */
export function isTyped({ docChanged, transactions }: ViewUpdate): boolean {
  return docChanged && !transactions.some((transaction) => transaction.annotation(shown) === true);
}
