import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, forceLinting, linter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import type { InputError } from '@freehold/contract/problem';
import { classHighlighter } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { styleNonce } from '../../shell/style-nonce.ts';
import { isTyped, showText } from './editor-text.ts';
import './json-editor.css';
import { placeOf } from './json-places.ts';

interface Props {
  readonly label: string;
  readonly text: string;
  /** The verdict of the platform on the text, marked at its places. */
  readonly errors?: readonly InputError[] | undefined;
  /** Left out, the text can be read and not changed. */
  readonly onChange?: (text: string) => void;
}

/** A text in JSON with its syntax coloured and its mistakes marked. Loaded when it is first shown. */
export function JsonEditor({ label, text, errors, onChange }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const change = useRef(onChange);
  change.current = onChange;
  const refused = useRef(errors);
  const isReadOnly = onChange === undefined;
  useEffect(() => {
    if (place.current === null) return;
    const opened = new EditorView({
      parent: place.current,
      state: EditorState.create({
        extensions: [
          EditorView.cspNonce.of(styleNonce()),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
          EditorView.lineWrapping,
          EditorState.readOnly.of(isReadOnly),
          lineNumbers(),
          history(),
          bracketMatching(),
          syntaxHighlighting(classHighlighter),
          json(),
          linter((current) => diagnosticsIn(current, refused.current)),
          // Tab is left to the page, so that the keyboard leads out of the editor.
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.updateListener.of((update) => {
            if (isTyped(update)) change.current?.(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = opened;
    return () => opened.destroy();
  }, [label, isReadOnly]);
  useEffect(() => {
    if (view.current !== undefined) showText(view.current, text);
  }, [text]);
  useEffect(() => {
    refused.current = errors;
    if (view.current !== undefined) forceLinting(view.current);
  }, [errors]);
  return <div ref={place} className="json-editor" />;
}

const parseLinter = jsonParseLinter();

/** Mistakes of the syntax; of a text without any, what the platform says of it. */
function diagnosticsIn(view: EditorView, errors: readonly InputError[] | undefined): readonly Diagnostic[] {
  const mistakes = parseLinter(view);
  if (mistakes.length > 0) return mistakes;
  const text = view.state.doc.toString();
  return (errors ?? []).map(({ pointer, message }) => ({ ...placeOf(text, pointer), severity: 'error', message }));
}
