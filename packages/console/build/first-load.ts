import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';

const source = join(import.meta.dirname, '..', 'src');
const mainFile = join(source, 'main.tsx');

/** What every visit runs lies in two chunks: what the page runs at once, and all else. One file arrives sooner than thirty. */
export function firstLoad(): Plugin {
  return {
    name: 'first-load',
    apply: 'build',
    config: () => ({
      build: {
        rolldownOptions: { input, output: { codeSplitting: { groups: [...groups] } } },
        chunkSizeWarningLimit: 700,
      },
    }),
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) => linksOf(Object.values(bundle)),
    },
  };
}

const input = { index: join(source, '..', 'index.html'), main: mainFile };

const groups = [
  // With what they import.
  { name: 'early', test: /\/(index\.html|src\/early\.ts)$/, priority: 1 },
  { name: 'base', tags: ['$initial'] },
  // With the components that it shares with most screens.
  { name: 'home', test: /\/screens\/home\// },
  // The dialogs that may open over any screen. Every visit loads them after its first content.
  { name: 'dialogs', test: /\/shell\/(command-palette|other-org-dialog|sign-in-again)\.tsx$/ },
  // One sheet for the components of all other screens: their scripts come with each screen.
  { name: 'components', test: /\/@mantine\/core\/styles\// },
  // Pages that are opened one after the other. Each file that is loaded later has its name in the first load.
  { name: 'settings', test: /\/screens\/settings\//, includeDependenciesRecursively: false },
] satisfies readonly Rolldown.CodeSplittingGroup[];

/** Links to the script and the styles that `early.ts` imports, which the browser then asks for before any script has run. */
function linksOf(outputs: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[]) {
  const main = outputs.find((output) => output.type === 'chunk' && output.facadeModuleId === mainFile);
  if (main?.type !== 'chunk') throw new Error('the main script was not built');
  return [
    linkTo(main.fileName, { rel: 'modulepreload' }),
    ...[...(main.viteMetadata?.importedCss ?? [])].map((name) => linkTo(name, { rel: 'preload', as: 'style' })),
  ];
}

function linkTo(file: string, attributes: Readonly<Record<string, string>>) {
  return { tag: 'link', injectTo: 'head', attrs: { ...attributes, crossorigin: true, href: `./${file}` } } as const;
}
