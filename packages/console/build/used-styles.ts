import type { Plugin } from 'vite';

/**
 * Takes the rules of components that no chunk uses out of the library's style sheet, which would be a tenth of the first
 * load. Its class names (`m_77c9d27d`) stand in the scripts of its components as they stand in the sheet.
 */
export function usedStyles(): Plugin {
  return {
    name: 'used-styles',
    apply: 'build',
    generateBundle: (_options, bundle) => {
      const outputs = Object.values(bundle);
      const scripts = outputs.map((output) => (output.type === 'chunk' ? output.code : '')).join('\n');
      for (const output of outputs)
        if (output.type === 'asset' && output.fileName.endsWith('.css'))
          output.source = withoutUnused(String(output.source), new Set(scripts.match(libraryClass)));
    },
  };
}

const libraryClass = /\bm_[0-9a-f]{6,8}\b/g;

/** Rules whose every selector needs a class of the library that no script names. */
export function withoutUnused(sheet: string, used: ReadonlySet<string>): string {
  return sheet.replaceAll(/(?<=[{};]|^)([^{};@]+)\{[^{}]*\}/g, (rule, selectors: string) => {
    const kept = splitSelectors(selectors).filter((selector) =>
      (selector.match(libraryClass) ?? []).every((name) => used.has(name)),
    );
    return kept.length === 0 ? '' : rule;
  });
}

/** At the commas that stand in no parentheses. */
function splitSelectors(text: string): readonly string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}
