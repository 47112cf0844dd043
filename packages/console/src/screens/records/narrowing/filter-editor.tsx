import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, placeholder, tooltips } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { isTyped, showText } from '../../../components/json/editor-text.ts';
import { styleNonce } from '../../../shell/style-nonce.ts';
import './filter-editor.css';
import { mistakeIn, type Options } from './filter-completion.ts';

interface Props {
  readonly text: string;
  /** What the platform says is wrong with it. */
  readonly mistake: string | undefined;
  readonly optionsAt: (before: string) => Promise<Options | undefined>;
  readonly onChange: (text: string) => void;
  readonly onApply: () => void;
}

const types = { field: 'property', value: 'enum', function: 'function', variable: 'variable' } as const;

/** A filter in one line, with what can stand at the cursor. Enter applies it. Loaded when it is first shown. */
export function FilterEditor({ text, mistake, ...on }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(on);
  latest.current = on;
  const first = useRef(text);
  useEffect(() => {
    if (place.current === null) return;
    const complete = async (context: CompletionContext): Promise<CompletionResult | null> => {
      const before = context.state.sliceDoc(0, context.pos);
      const found = await latest.current.optionsAt(before);
      if (found === undefined || (!context.explicit && !/[\w."]$/.test(before))) return null;
      return {
        from: found.from,
        options: found.options.map(({ kind, ...option }) => ({ ...option, type: types[kind] })),
        validFor: /^"?\w*$/,
      };
    };
    const opened = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          ...extensions(complete, () => latest.current.onApply()),
          EditorView.updateListener.of((update) => {
            if (isTyped(update)) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = opened;
    opened.focus();
    return () => opened.destroy();
  }, []);
  useEffect(() => {
    if (view.current !== undefined) showText(view.current, text);
  }, [text]);
  useEffect(() => {
    const { current } = view;
    if (current === undefined) return;
    current.dispatch(setDiagnostics(current.state, mistake === undefined ? [] : [marked(current.state, mistake)]));
  }, [mistake]);
  return <div ref={place} className="filter-editor" data-invalid={mistake !== undefined || undefined} />;
}

function extensions(
  complete: (context: CompletionContext) => Promise<CompletionResult | null>,
  apply: () => void,
): readonly Extension[] {
  return [
    EditorView.cspNonce.of(styleNonce()),
    EditorView.contentAttributes.of({ 'aria-label': 'Filter expression', spellcheck: 'false' }),
    EditorView.lineWrapping,
    // A filter is one line.
    EditorView.clipboardInputFilter.of((pasted) => pasted.trim().replaceAll(/\s*\n\s*/g, ' ')),
    EditorState.transactionFilter.of((change) => (change.newDoc.lines > 1 ? [] : change)),
    placeholder('status == "open" && created_at > now - duration("24h")'),
    tooltips({ parent: document.body }),
    history(),
    autocompletion({ override: [complete], icons: false, maxRenderedOptions: 60 }),
    // Tab is left to the page, so that the keyboard leads out of the editor.
    keymap.of([
      ...completionKeymap,
      {
        key: 'Enter',
        run: () => {
          apply();
          return true;
        },
      },
      ...defaultKeymap,
      ...historyKeymap,
    ]),
  ];
}

function marked(state: EditorState, mistake: string) {
  const { at, message } = mistakeIn(mistake);
  const from = Math.min(at, Math.max(0, state.doc.length - 1));
  const [word = ''] = /^\w+/.exec(state.sliceDoc(from)) ?? [];
  return { from, to: Math.min(from + Math.max(1, word.length), state.doc.length), severity: 'error' as const, message };
}
