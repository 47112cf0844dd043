import type { Plugin } from 'vite';

const whole = '@mantine/core/styles.layer.css';
const ofAll = '\0library-styles';

/**
 * Lets each component of the library bring its own style sheet, in place of one sheet of all components, so that a first
 * visit loads the styles of what it shows. A component imports those that it is made of, so theirs come before its own.
 */
export function libraryStyles(): Plugin {
  return {
    name: 'library-styles',
    apply: 'build',
    enforce: 'pre',
    resolveId: (source) => (source === whole ? ofAll : undefined),
    load: (id) => (id === ofAll ? ['baseline', 'default-css-variables', 'global'].map(importOf).join('\n') : undefined),
    transform: (code, id) => {
      const name = /\/@mantine\/core\/esm\/.+\/(\w+)\.module\.mjs$/.exec(id)?.[1];
      return name === undefined ? undefined : { code: `${importOf(name)}\n${code}`, map: null };
    },
  };
}

function importOf(sheet: string): string {
  return `import '@mantine/core/styles/${sheet}.layer.css';`;
}
