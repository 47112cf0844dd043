import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { styleNonce } from '../shell/style-nonce.ts';
import './json-editor.css';

interface Props {
  readonly label: string;
  readonly text: string;
  /** Left out, the text can be read and not changed. */
  readonly onChange?: (text: string) => void;
}

/** A text in JSON with its syntax coloured and its mistakes marked. Loaded when it is first shown. */
export function JsonEditor({ label, text, onChange }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const change = useRef(onChange);
  change.current = onChange;
  const isReadOnly = onChange === undefined;
  useEffect(() => {
    if (place.current === null) return;
    const opened = new EditorView({
      parent: place.current,
      state: EditorState.create({
        extensions: [
          EditorView.cspNonce.of(styleNonce()),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
          EditorView.lineWrapping,
          EditorState.readOnly.of(isReadOnly),
          lineNumbers(),
          history(),
          bracketMatching(),
          syntaxHighlighting(classHighlighter),
          json(),
          linter(jsonParseLinter()),
          // Tab is left to the page, so that the keyboard leads out of the editor.
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) change.current?.(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = opened;
    return () => opened.destroy();
  }, [label, isReadOnly]);
  useEffect(() => {
    const { current } = view;
    if (current === undefined || current.state.doc.toString() === text) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } });
  }, [text]);
  return <div ref={place} className="json-editor" />;
}
