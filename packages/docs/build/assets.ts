/** The scripts, the style sheet and the icon of the pages, named by their contents. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Rolldown } from 'vite';
import type { FrameFiles } from '../src/site/layout.ts';
import { root } from './sources.ts';

const folder = join(import.meta.dirname, '..');

export interface Assets {
  readonly files: ReadonlyMap<string, string>;
  readonly names: Omit<FrameFiles, 'searchIndex'> & { readonly appScript: string };
}

export async function buildAssets(): Promise<Assets> {
  const files = new Map<string, string>();
  const built = (await build({
    root: folder,
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      target: 'es2024',
      modulePreload: false,
      license: { fileName: 'licenses.md' },
      rolldownOptions: {
        input: Object.fromEntries(
          ['main', 'theme', 'app-docs'].map((name) => [name, join(folder, `src/client/${name}.ts`)]),
        ),
        output: { entryFileNames: 'assets/[name]-[hash].js', chunkFileNames: 'assets/[name]-[hash].js' },
      },
    },
  })) as Rolldown.RolldownOutput;
  const entries = new Map<string, string>();
  for (const output of built.output) {
    files.set(output.fileName, output.type === 'chunk' ? output.code : String(output.source));
    if (output.type === 'chunk' && output.isEntry) entries.set(output.name, output.fileName);
  }
  const style = addNamed(files, 'assets/style.css', readFileSync(join(folder, 'src/style.css'), 'utf8'));
  const icon = addNamed(files, 'assets/logo.svg', readFileSync(join(root, 'packages/docs/src/logo.svg'), 'utf8'));
  const scriptOf = (name: string) => entries.get(name) ?? '';
  return {
    files,
    names: { style, icon, theme: scriptOf('theme'), script: scriptOf('main'), appScript: scriptOf('app-docs') },
  };
}

/** Names a file by its contents, so that a browser keeps it for ever. */
export function addNamed(files: Map<string, string>, path: string, text: string): string {
  const digest = createHash('sha256').update(text).digest('base64url').replaceAll(/[-_]/g, '').slice(0, 8);
  const named = path.replace(/(\.\w+)$/, `-${digest}$1`);
  files.set(named, text);
  return named;
}
