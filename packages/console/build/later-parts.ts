import { join } from 'node:path';
import type { Plugin } from 'vite';

const loader = join(import.meta.dirname, '..', 'src', 'components', 'load-part.ts');

/** Has later parts of the console loaded by its own loader, which asks again for files that did not arrive. */
export function laterParts(): Plugin {
  return {
    name: 'later-parts',
    apply: 'build',
    enforce: 'pre',
    load: {
      filter: { id: /^\0vite\/preload-helper\.js$/ },
      handler: () => `export { loadPart as __vitePreload } from ${JSON.stringify(loader)};`,
    },
  };
}
